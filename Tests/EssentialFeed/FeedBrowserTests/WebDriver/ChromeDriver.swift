import DuetAsyncHTTPClient
import DuetHTTP
import FeedTesting
import Foundation
import HTTPTypes

/// Debian's chromedriver as a process, which drives Chromium (https://www.w3.org/TR/webdriver2/).
///
/// It listens on any free port. All files of the browser are in a temporary folder.
final class ChromeDriver: Sendable {
    /// The address of the commands.
    let url: URL

    /// Sends the commands.
    let client: NIOHTTPClient

    private let process: Process
    private let lifeline = Pipe()
    private let directory: TemporaryDirectory

    /// Starts chromedriver, passes it to `body`, and stops it and its browsers however `body` ends.
    ///
    /// - Throws: ``Missing`` or ``Silent`` if it cannot be started; the error of `body`.
    static func run(_ body: (ChromeDriver) async throws -> Void) async throws {
        try await withNIOHTTPClient(configuration: NIOHTTPClient.Configuration(deadline: .seconds(40))) { client in
            let driver = try await ChromeDriver(client: client)
            do {
                try await body(driver)
            } catch {
                await driver.stop()
                throw error
            }
            await driver.stop()
        }
    }

    private init(client: NIOHTTPClient) async throws {
        guard let program = Self.program else { throw Missing() }
        directory = try TemporaryDirectory()
        let output = directory.appending("chromedriver")
        try Data().write(to: output)
        process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.launcher, "sh", program.path, "--port=0"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "TMPDIR": directory.url.path,
                "HOME": directory.url.path,
                "FONTCONFIG_FILE": try Self.fonts(in: directory).path,
            ]
        ) { _, new in new }
        process.standardInput = lifeline
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.client = client
        do {
            url = try await Self.address(in: output, of: process)
        } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }

    /// Ends the process, and with it browsers that a failed test has left.
    ///
    /// It is asked to, because a child of a thread of Swift's concurrency blocks most signals.
    private func stop() async {
        let authority = "127.0.0.1:\(url.port ?? 0)"
        let shutdown = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/shutdown")
        _ = try? await client.data(for: shutdown)
        let hasEnded: Void? = try? await poll(within: .seconds(5)) {
            process.isRunning ? nil : ()
        } orThrow: {
            CancellationError()
        }
        if hasEnded == nil { kill(process.processIdentifier, SIGKILL) }
        try? lifeline.fileHandleForWriting.write(contentsOf: Data("stopped\n".utf8))
        try? lifeline.fileHandleForWriting.close()
    }

    /// Becomes chromedriver, and ends it and its browsers when this process ends without stopping them.
    ///
    /// A pipe that only this process writes to is then at its end. All of them are one process group, whose number is
    /// that of chromedriver.
    private static let launcher = """
        exec 3<&0
        { read -r line || kill -s KILL -- -$$; } <&3 &
        exec "$@" </dev/null 3<&-
        """

    private static var program: URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
            .map { URL(filePath: String($0)).appending(component: "chromedriver") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The font of all pages, from the Debian package fonts-dejavu-core.
    static let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

    /// Writes a configuration that knows only the fonts of this package, so that texts have the same length on every
    /// machine.
    private static func fonts(in directory: TemporaryDirectory) throws -> URL {
        let file = directory.appending("fonts.conf")
        let configuration = """
            <?xml version="1.0"?>
            <!DOCTYPE fontconfig SYSTEM "fonts.dtd">
            <fontconfig>
            <dir>\(URL(filePath: font).deletingLastPathComponent().path)</dir>
            <cachedir>\(directory.path("fonts"))</cachedir>
            <match target="pattern">
            <test name="family" qual="any"><string>serif</string></test>
            <edit name="family" mode="prepend" binding="strong"><string>DejaVu Serif</string></edit>
            </match>
            <match target="pattern">
            <test name="family" qual="any"><string>monospace</string></test>
            <edit name="family" mode="prepend" binding="strong"><string>DejaVu Sans Mono</string></edit>
            </match>
            <match target="pattern">
            <edit name="family" mode="append_last"><string>DejaVu Sans</string></edit>
            </match>
            </fontconfig>
            """
        try Data(configuration.utf8).write(to: file)
        return file
    }

    /// Waits until chromedriver has printed its port.
    private static func address(in output: URL, of process: Process) async throws -> URL {
        try await poll {
            let text = try String(contentsOf: output, encoding: .utf8)
            if let port = text.firstMatch(of: /started successfully on port (\d+)/)?.1 {
                return URL(string: "http://127.0.0.1:\(port)/")
            }
            if !process.isRunning { throw Silent(output: text) }
            return nil
        } orThrow: {
            Silent(output: (try? String(contentsOf: output, encoding: .utf8)) ?? "")
        }
    }

    /// The program is not installed.
    struct Missing: Error, CustomStringConvertible {
        let description = """
            chromedriver is not on the PATH. Run "make setup-tests", or install the Debian package chromium-driver.
            """
    }

    /// The program has not printed its port.
    struct Silent: Error, CustomStringConvertible {
        let output: String

        var description: String { "chromedriver did not start. It printed: \(output)" }
    }
}
