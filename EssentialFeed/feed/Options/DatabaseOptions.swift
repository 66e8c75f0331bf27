import ArgumentParser
import Foundation

/// Where the backend's database is.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The backend's database file. (default: backend.sqlite in the XDG data folder)",
            valueName: "path"
        ),
        transform: filePath
    )
    var database: String?

    var url: URL {
        database.map { URL(filePath: $0) } ?? UserFolders.current.data.appending(path: "backend.sqlite")
    }
}
