import ArgumentParser
import FeedComposition
import Foundation

/// What the backend serves, apart from where it listens.
struct BackendServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The backend's database file. (default: backend.sqlite in the XDG data folder)",
            valueName: "path"
        ),
        transform: filePath
    )
    var database: String?

    @Option(
        help: ArgumentHelp(
            "Fill the backend from a folder of images with a manifest, feed.json. (default: the bundled photographs)",
            valueName: "folder"
        ),
        transform: filePath
    )
    var seed: String?

    @Flag(help: "Do not fill the backend.")
    var noSeed = false

    func validate() throws {
        if noSeed, seed != nil {
            throw ValidationError("--seed and --no-seed contradict each other. Give one of them.")
        }
    }

    func backend(host: String, port: UInt16, publicURL: URL? = nil) -> BackendOptions {
        BackendOptions(
            host: host,
            port: Int(port),
            database: database.map { URL(filePath: $0) } ?? UserFolders.current.data.appending(path: "backend.sqlite"),
            publicURL: publicURL,
            seed: noSeed ? .nothing : seed.map { .folder(URL(filePath: $0)) } ?? .samples
        )
    }
}
