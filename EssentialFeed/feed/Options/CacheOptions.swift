public import ArgumentParser
public import FeedComposition
import Foundation

extension ClientOptions.StoreKind: ExpressibleByArgument {}

/// The kind and the location of the cache.
struct CacheOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of the cache.", valueName: "kind"))
    var store = ClientOptions.StoreKind.sqlite

    @Option(
        help: ArgumentHelp(
            "The cache: a database file for sqlite, a folder for file. (default: in the XDG cache folder)",
            valueName: "path"
        ),
        completion: .file(),
        transform: filePath
    )
    var cache: String?

    /// Rejects a file in place of a folder, and vice versa: an unusable cache is set aside, which must not happen to a
    /// user's folder because of a typo.
    func validate() throws {
        let file = cache.map { URL(filePath: $0).resolvingSymlinksInPath() }
        guard let cache, let isFolder = try? file?.resourceValues(forKeys: [.isDirectoryKey]).isDirectory,
            isFolder != (store == .file)
        else { return }
        throw ValidationError(
            store == .file
                ? "'\(cache)' is a file. With --store file, --cache must be a folder."
                : "'\(cache)' is a folder. With --store sqlite, --cache must be a database file."
        )
    }

    var url: URL {
        if let cache { return URL(filePath: cache) }
        let folder = UserFolders.current.cache
        return switch store {
        case .sqlite: folder.appending(path: "feed.sqlite")
        case .file: folder.appending(path: "feed", directoryHint: .isDirectory)
        }
    }

    func client(remote: URL, outbox: OutboxOptions? = nil) -> ClientOptions {
        ClientOptions(remote: remote, cache: url, store: store, outbox: outbox?.url)
    }
}
