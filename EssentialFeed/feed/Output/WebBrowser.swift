import FeedFeature
import Foundation

enum WebBrowser {
    #if os(macOS)
        private static let opener = "open"
    #else
        private static let opener = "xdg-open"
    #endif

    /// Opens a page with the system's program for it, and does not wait.
    ///
    /// A failure is a note, because the address was printed.
    static func open(_ page: URL) {
        let folders = TerminalSettings.current.environment["PATH", default: ""].split(separator: ":")
        let programs = folders.map { URL(filePath: String($0)).appending(path: opener) }
        guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            return Terminal.note("The browser was not opened, because \(opener) is not installed.", .yellow)
        }
        let process = Process()
        process.executableURL = program
        process.arguments = [page.absoluteString]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            Terminal.note("The browser was not opened: \(error.plainReason).", .yellow)
        }
    }
}
