import ArgumentParser
import FeedBackend
import FeedComposition
import Foundation

struct BackendServerOptions: ParsableArguments {
    @OptionGroup var database: DatabaseOptions

    @Option(
        help: ArgumentHelp(
            "Fill the backend from a folder of images with a manifest, feed.json. (default: the bundled photographs)",
            valueName: "folder"
        ),
        completion: .directory,
        transform: filePath
    )
    var seed: String?

    @Flag(help: "Do not fill the backend.")
    var noSeed = false

    @Flag(help: "Make no smaller versions of the images, which otherwise needs vipsthumbnail of libvips-tools.")
    var originalsOnly = false

    func validate() throws {
        if noSeed, seed != nil {
            throw ValidationError("--seed and --no-seed contradict each other. Use one of them only.")
        }
    }

    func backend(
        host: String,
        port: UInt16,
        publicURL: URL? = nil,
        closedComments: Bool = false,
        commentsPerMinute: Int = BackendModule.commentsPerMinute,
        pageServers: [String] = [],
        exposesMetrics: Bool = false
    ) -> BackendOptions {
        BackendOptions(
            host: host,
            port: Int(port),
            database: database.url,
            publicURL: publicURL,
            closedComments: closedComments,
            commentsPerMinute: commentsPerMinute,
            pageServers: Set(pageServers),
            exposesMetrics: exposesMetrics,
            seed: noSeed ? .nothing : seed.map { .folder(URL(filePath: $0)) } ?? .samples,
            resizesImages: !originalsOnly
        )
    }
}

struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The backend's database file; other files are refused. (default: backend.sqlite in the XDG data folder)",
            valueName: "path"
        ),
        completion: .file(),
        transform: filePath
    )
    var database: String?

    var url: URL {
        database.map { URL(filePath: $0) } ?? UserFolders.current.data.appending(path: "backend.sqlite")
    }
}
