import DuetHTTP
import Foundation
import HTTPTypes

/// Chromium without a window on the screen: a WebDriver session with one or more windows.
///
/// A test drives its windows one after the other, because a command is sent to the window that was chosen last.
actor Browser {
    private let driver: ChromeDriver
    private let path: String
    private var chosen: String?

    /// Starts a browser, and passes it to `body`, and closes it however `body` ends.
    ///
    /// - Throws: ``WebDriverError``; the error of `body`.
    static func run(_ driver: ChromeDriver, _ body: (Browser) async throws -> Void) async throws {
        let browser = try await Browser(driver)
        do {
            try await body(browser)
        } catch {
            try? await browser.close()
            throw error
        }
        try await browser.close()
    }

    private init(_ driver: ChromeDriver) async throws {
        self.driver = driver
        let value = try await Self.send("POST", "session", Self.capabilities, to: driver)
        path = "session/\(value["sessionId"].string ?? "")"
    }

    /// Opens a window, passes it to `body`, and closes it however `body` ends.
    ///
    /// - Throws: ``WebDriverError``; the error of `body`.
    nonisolated func withWindow<Value>(_ body: (Window) async throws -> Value) async throws -> Value {
        let window = try await newWindow()
        let value: Value
        do {
            value = try await body(window)
        } catch {
            try? await close(window)
            throw error
        }
        try await close(window)
        return value
    }

    private func newWindow() async throws -> Window {
        let value = try await send("POST", "window/new", ["type": "tab"])
        return Window(handle: value["handle"].string ?? "", browser: self)
    }

    private func close(_ window: Window) async throws {
        let rest = try await send("DELETE", "window", in: window.handle).elements
        chosen = nil
        guard let first = rest.first?.string else { return }
        try await choose(first)
    }

    /// Returns the warnings and errors of the console since the last call, without failed requests, which tests cause.
    ///
    /// - Throws: ``WebDriverError``.
    func takeConsoleMessages() async throws -> [String] {
        try await send("POST", "se/log", ["type": "browser"]).elements
            .filter { $0["source"] != "network" && ["WARNING", "SEVERE"].contains($0["level"]) }
            .compactMap { $0["message"].string }
    }

    /// Sends a command of the session, to a window if it concerns one.
    ///
    /// - Throws: ``WebDriverError``.
    func send(
        _ method: String,
        _ command: String,
        _ parameters: JSONValue = [:],
        in window: String? = nil
    ) async throws -> JSONValue {
        if let window, window != chosen { try await choose(window) }
        return try await Self.send(method, "\(path)/\(command)", parameters, to: driver)
    }

    private func choose(_ window: String) async throws {
        _ = try await send("POST", "window", ["handle": .string(window)])
        chosen = window
    }

    private func close() async throws {
        _ = try await Self.send("DELETE", path, [:], to: driver)
    }

    private static func send(
        _ method: String,
        _ path: String,
        _ parameters: JSONValue,
        to driver: ChromeDriver
    ) async throws -> JSONValue {
        let request = HTTPRequest(
            method: HTTPRequest.Method(rawValue: method) ?? .post,
            scheme: "http",
            authority: "127.0.0.1:\(driver.url.port ?? 0)",
            path: "/\(path)",
            headerFields: [.contentType: "application/json"]
        )
        let body = method == "POST" ? try JSONEncoder().encode(parameters) : nil
        let (response, data) = try await driver.client.data(for: request, body: body)
        let value = try JSONDecoder().decode(JSONValue.self, from: data)["value"]
        guard response.status == .ok else { throw WebDriverError(value, command: path) }
        return value
    }

    /// Pages count as loaded when their document is, because tests keep some images from arriving.
    private static let capabilities: JSONValue = [
        "capabilities": [
            "alwaysMatch": [
                "browserName": "chrome",
                "pageLoadStrategy": "eager",
                "goog:loggingPrefs": ["browser": "ALL"],
                "goog:chromeOptions": [
                    "args": [
                        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                        // Images are painted when they have arrived, and not later, when they are decoded.
                        "--disable-checker-imaging",
                        "--force-device-scale-factor=1", "--lang=en-US",
                    ]
                ],
            ]
        ]
    ]
}

/// The error of a command, as WebDriver reports it.
struct WebDriverError: Error, CustomStringConvertible {
    /// The code, such as `no such element`.
    let code: String
    let message: String
    let command: String

    init(_ value: JSONValue, command: String) {
        code = value["error"].string ?? "unknown error"
        message = value["message"].string ?? ""
        self.command = command
    }

    var description: String { "\(command.split(separator: "/").dropFirst(2).joined(separator: "/")): \(message)" }
}
