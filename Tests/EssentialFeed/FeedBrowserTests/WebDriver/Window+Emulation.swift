import DuetHTTP
import Foundation

extension Window {
    /// Sets the size of the page's part of the window, in CSS pixels.
    ///
    /// - Throws: ``WebDriverError``.
    func resize(to width: Int64, _ height: Int64) async throws {
        try await devTools(
            "Emulation.setDeviceMetricsOverride",
            ["width": .integer(width), "height": .integer(height), "deviceScaleFactor": 1, "mobile": false]
        )
    }

    /// Sets the reader's preferred languages, in order, as the field `Accept-Language` states them.
    ///
    /// - Throws: ``WebDriverError``.
    func prefer(languages: String) async throws {
        let agent = try await value(of: "navigator.userAgent")
        try await devTools(
            "Emulation.setUserAgentOverride",
            ["userAgent": agent, "acceptLanguage": .string(languages)]
        )
    }

    /// Sets the reader's preferences of colors and motion.
    ///
    /// - Throws: ``WebDriverError``.
    func prefer(dark: Bool, reducedMotion: Bool) async throws {
        try await devTools(
            "Emulation.setEmulatedMedia",
            [
                "media": "",
                "features": [
                    ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"],
                    ["name": "prefers-reduced-motion", "value": reducedMotion ? "reduce" : "no-preference"],
                ],
            ]
        )
    }

    /// Shows the page with the styles of paper, until ``prefer(dark:reducedMotion:)``.
    ///
    /// - Throws: ``WebDriverError``.
    func showAsPrinted(dark: Bool) async throws {
        let scheme: JSONValue = ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]
        try await devTools("Emulation.setEmulatedMedia", ["media": "print", "features": [scheme]])
    }

    /// Lets the window be a touch screen, from the next page on.
    ///
    /// - Throws: ``WebDriverError``.
    func enableTouch() async throws {
        try await devTools("Emulation.setTouchEmulationEnabled", ["enabled": true])
    }

    /// Sets the size of texts that the reader prefers, in percent, as the browser's settings do.
    ///
    /// - Throws: ``WebDriverError``.
    func prefer(textSize percent: Int64) async throws {
        let sizes: JSONValue = ["standard": .integer(16 * percent / 100), "fixed": .integer(13 * percent / 100)]
        try await devTools("Page.setFontSizes", ["fontSizes": sizes])
    }

    /// Sets the time of the scripts in every page that is opened from now on; it does not advance.
    ///
    /// - Throws: ``WebDriverError``.
    func setTime(_ date: Date) async throws {
        let milliseconds = Int64(date.timeIntervalSince1970 * 1000)
        try await runFirst("Date.now = () => \(milliseconds);")
    }

    /// Runs a script in every page that is opened from now on, before the page's own scripts.
    ///
    /// - Throws: ``WebDriverError``.
    func runFirst(_ script: String) async throws {
        try await devTools("Page.enable")
        try await devTools("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
    }

    /// Turns the page's scripts on or off, from the next page on.
    ///
    /// - Throws: ``WebDriverError``.
    func setScripts(enabled: Bool) async throws {
        try await devTools("Emulation.setScriptExecutionDisabled", ["value": .bool(!enabled)])
    }

    /// Hides service workers from every page that is opened from now on, as a browser without them does.
    ///
    /// - Throws: ``WebDriverError``.
    func hideServiceWorkers() async throws {
        try await runFirst("Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined });")
    }

    /// Lets requests fail whose address matches one of the patterns, in which `*` is any text.
    ///
    /// - Throws: ``WebDriverError``.
    func block(_ patterns: String...) async throws {
        try await devTools("Network.enable")
        try await devTools("Network.setBlockedURLs", ["urls": .array(patterns.map { .string($0) })])
    }

    /// Keeps requests waiting whose address matches one of the patterns, until ``releaseRequests()``.
    ///
    /// - Throws: ``WebDriverError``.
    func hold(_ patterns: String...) async throws {
        let patterns = patterns.map { JSONValue.object(["urlPattern": .string($0)]) }
        try await devTools("Fetch.enable", ["patterns": .array(patterns)])
    }

    /// Sends the requests that were kept waiting.
    ///
    /// - Throws: ``WebDriverError``.
    func releaseRequests() async throws {
        try await devTools("Fetch.disable")
    }

    /// Disconnects the window from the network, or connects it again.
    ///
    /// - Throws: ``WebDriverError``.
    func setNetwork(connected: Bool) async throws {
        try await devTools("Network.enable")
        try await devTools(
            "Network.emulateNetworkConditions",
            ["offline": .bool(!connected), "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1]
        )
    }

    /// Returns the cookies that the page's requests carry, by name.
    ///
    /// - Throws: ``WebDriverError``.
    func cookies() async throws -> [String: JSONValue] {
        let cookies = try await send("GET", "cookie").elements
        return Dictionary(cookies.map { ($0["name"].string ?? "", $0) }) { _, last in last }
    }

    /// Removes the cookies of all pages; a port does not separate them.
    ///
    /// - Throws: ``WebDriverError``.
    func removeCookies() async throws {
        try await devTools("Network.clearBrowserCookies")
    }
}
