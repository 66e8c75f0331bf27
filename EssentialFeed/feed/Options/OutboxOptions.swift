import ArgumentParser
import Foundation

/// The place of the comments that wait for the server.
struct OutboxOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The file of comments that wait for the server; other files are refused. \
            (default: outbox.sqlite in the XDG data folder)
            """,
            valueName: "path"
        ),
        completion: .file(),
        transform: filePath
    )
    var outbox: String?

    var url: URL {
        outbox.map { URL(filePath: $0) } ?? UserFolders.current.data.appending(path: "outbox.sqlite")
    }
}
