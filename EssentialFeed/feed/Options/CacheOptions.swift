public import ArgumentParser
public import FeedComposition
import Foundation

extension ClientOptions.StoreKind: ExpressibleByArgument {}

/// Where the feed is cached.
struct CacheOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What the feed is cached in.", valueName: "kind"))
    var store = ClientOptions.StoreKind.sqlite

    @Option(
        help: ArgumentHelp(
            "The cache: a database file for sqlite, a folder for file. (default: in the XDG cache folder)",
            valueName: "path"
        )
    )
    var cache: String?

    var url: URL {
        if let cache { return URL(filePath: cache) }
        let folder = UserFolders.current.cache
        return switch store {
        case .sqlite: folder.appending(path: "feed.sqlite")
        case .file: folder.appending(path: "feed", directoryHint: .isDirectory)
        }
    }

    func client(remote: URL) -> ClientOptions {
        ClientOptions(remote: remote, cache: url, store: store)
    }
}
