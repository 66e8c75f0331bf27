public import ArgumentParser
public import FeedComposition
import Foundation

extension ClientOptions.StoreKind: ExpressibleByArgument {}

struct CacheOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of the cache.", valueName: "kind"))
    var store = ClientOptions.StoreKind.sqlite

    @Option(
        help: ArgumentHelp(
            "The cache's database file; other files are refused. (default: feed.sqlite in the XDG cache folder)",
            valueName: "path"
        ),
        completion: .file(),
        transform: filePath
    )
    var cache: String?

    func validate() throws {
        if store == .memory, cache != nil {
            throw ValidationError("--store memory and --cache contradict each other. Use one of them only.")
        }
    }

    var url: URL {
        cache.map { URL(filePath: $0) } ?? UserFolders.current.cache.appending(path: "feed.sqlite")
    }

    /// A client whose files are required if the user named them: the program does not continue without those.
    func client(
        remote: URL,
        timeout: Duration = .seconds(30),
        outbox: OutboxOptions? = nil,
        requiresCache: Bool = false,
        onlyReads: Bool = false
    ) -> ClientOptions {
        ClientOptions(
            remote: remote,
            timeout: timeout,
            cache: url,
            store: store,
            outbox: outbox?.url,
            isCacheRequired: requiresCache || cache != nil,
            isOutboxRequired: outbox?.outbox != nil,
            servesReaders: outbox != nil,
            onlyReads: onlyReads
        )
    }
}
