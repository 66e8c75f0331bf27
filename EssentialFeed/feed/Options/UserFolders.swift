import Foundation

/// The user's folders, as defined by the XDG Base Directory Specification 0.8.
struct UserFolders {
    /// The folder of files that can be recreated.
    let cache: URL

    /// The folder of files to keep.
    let data: URL

    init(environment: [String: String]) {
        let home = URL(filePath: environment["HOME"] ?? NSHomeDirectory(), directoryHint: .isDirectory)
        func folder(_ variable: String, _ fallback: String) -> URL {
            // The specification requires that relative paths are ignored.
            guard let path = environment[variable], path.hasPrefix("/") else { return home.appending(path: fallback) }
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        cache = folder("XDG_CACHE_HOME", ".cache").appending(path: "essential-feed", directoryHint: .isDirectory)
        data = folder("XDG_DATA_HOME", ".local/share").appending(path: "essential-feed", directoryHint: .isDirectory)
    }

    static var current: UserFolders { UserFolders(environment: TerminalSettings.current.environment) }
}
