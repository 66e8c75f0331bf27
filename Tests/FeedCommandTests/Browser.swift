import Foundation
import Testing

/// Debian's Chromium, without a window.
struct Browser {
    /// Where the browser keeps its profile.
    let home: URL

    /// Opens a page in a window so tall that all of it is in view, and returns what its script has made of it.
    ///
    /// The time that the page sees runs ahead while nothing is being loaded, so nothing here waits for a clock.
    func open(_ page: URL) throws -> Page {
        let output = home.appending(path: "page.html")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,6000", "--virtual-time-budget=10000",
            "--user-data-dir=\(home.appending(path: "chromium").path)", "--dump-dom", page.absoluteString,
        ]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "the browser ended with \(process.terminationStatus)")
        return Page(html: try String(contentsOf: output, encoding: .utf8))
    }

    private static func executable() throws -> URL {
        let found = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(filePath: String($0)).appending(path: "chromium") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        return try #require(found, "Chromium is not on the PATH. make test installs it.")
    }

    /// A page as the browser shows it.
    struct Page {
        let html: String

        func count(_ text: String) -> Int {
            html.components(separatedBy: text).count - 1
        }

        var cards: Int { count(#"class="card""#) }
        var shownImages: Int { count(#"data-state="loaded""#) }
        var hasLoadMore: Bool { html.contains(#"id="more""#) }
        var hasBanner: Bool { !html.contains(#"class="banner" hidden"#) }
    }
}
