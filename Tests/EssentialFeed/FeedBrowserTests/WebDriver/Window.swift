import DuetHTTP
import Foundation

/// A window of the browser, with the page that it shows.
struct Window: Sendable {
    let handle: String
    let browser: Browser
}

extension Window {
    /// Opens a page, and returns when its document has been loaded, without its images.
    ///
    /// - Throws: ``WebDriverError``.
    func open(_ page: URL) async throws {
        _ = try await send("POST", "url", ["url": .string(page.absoluteString)])
    }

    /// Loads the page again.
    ///
    /// - Throws: ``WebDriverError``.
    func reload() async throws {
        _ = try await send("POST", "refresh")
    }

    /// Goes back in the history, as the browser's own button does.
    ///
    /// - Throws: ``WebDriverError``.
    func back() async throws {
        _ = try await send("POST", "back")
    }

    /// Runs the body of a function in the page, and returns its result.
    ///
    /// - Throws: ``WebDriverError``, also for an error of the script.
    @discardableResult
    func run(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await send("POST", "execute/sync", ["script": .string(script), "args": .array(arguments)])
    }

    /// Returns the value of an expression in the page; waits for the value of a promise.
    ///
    /// - Throws: ``WebDriverError``, also for an error of the script.
    func value(of expression: String) async throws -> JSONValue {
        try await run("return \(expression)")
    }

    /// Runs the body of a function that receives `done`, and returns what it passes to `done`.
    ///
    /// - Throws: ``WebDriverError``, also for an error of the script.
    @discardableResult
    func runUntilDone(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
        let script = "const done = arguments[arguments.length - 1];\n\(script)"
        return try await send("POST", "execute/async", ["script": .string(script), "args": .array(arguments)])
    }

    /// Sends a command of Chromium's DevTools (https://chromedevtools.github.io/devtools-protocol/).
    ///
    /// - Throws: ``WebDriverError``.
    @discardableResult
    func devTools(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await send("POST", "goog/cdp/execute", ["cmd": .string(method), "params": parameters])
    }

    /// Returns a picture of the visible part of the page.
    ///
    /// - Throws: ``WebDriverError``.
    func picture(as format: PictureFormat) async throws -> Data {
        let value = try await devTools("Page.captureScreenshot", format.parameters)
        return value["data"].string.flatMap { Data(base64Encoded: $0) } ?? Data()
    }

    /// Returns the page as a document for a printer, in PDF.
    ///
    /// - Throws: ``WebDriverError``.
    func printed() async throws -> Data {
        let value = try await devTools("Page.printToPDF")
        return value["data"].string.flatMap { Data(base64Encoded: $0) } ?? Data()
    }

    func send(_ method: String, _ command: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await browser.send(method, command, parameters, in: handle)
    }

    /// The format of a picture.
    enum PictureFormat {
        case png
        case jpeg(quality: Int64)

        fileprivate var parameters: JSONValue {
            switch self {
            case .png: ["format": "png"]
            case .jpeg(let quality): ["format": "jpeg", "quality": .integer(quality)]
            }
        }
    }
}
