import DuetTesting
import FeedBackend
import FeedComposition
import Foundation
import InMemoryLogging
import TestSupport
import Testing

/// Somebody who reads the feed: a site and a window.
struct Reader: Sendable {
    let site: FeedSite
    let window: Window
    private let browser: Browser
    private let usesServiceWorker: Bool

    /// Starts the servers of a site, opens a window, passes both to `body`, and closes them however `body` ends.
    ///
    /// The window is as large as that of a small computer. At the end, the console must have no messages.
    ///
    /// - Parameters:
    ///   - seed: The content of the backend.
    ///   - backend: Whether the backend runs from the beginning.
    ///   - serviceWorker: Whether the browser has service workers. Without them, each request reaches the page server.
    ///   - inspects: Whether the page server has the page for developers.
    static func visit(
        seed: BackendOptions.Seed = .samples,
        backend: Bool = true,
        serviceWorker: Bool = false,
        inspects: Bool = false,
        _ body: (Reader) async throws -> Void
    ) async throws {
        let browser = try #require(SharedBrowser.current)
        let site = try FeedSite(seed: seed, inspects: inspects)
        _ = try await browser.takeConsoleMessages()
        do {
            if backend { try await site.backend.start() }
            try await site.page.start()
            try await browser.withWindow { window in
                let reader = Reader(site: site, window: window, browser: browser, usesServiceWorker: serviceWorker)
                try await reader.prepare(window)
                try await window.removeCookies()
                try await body(reader)
                let messages = try await browser.takeConsoleMessages()
                #expect(messages == [])
            }
        } catch {
            try? await site.stop()
            throw FailedVisit(error: error, log: site.log.entries.map { "\($0.message)" })
        }
        // After the window, because the servers wait for its connections.
        try await site.stop()
    }

    /// Opens another window on the same site, passes it to `body`, and closes it.
    func withSecondWindow(_ body: (Window) async throws -> Void) async throws {
        try await browser.withWindow { window in
            try await prepare(window)
            try await body(window)
        }
    }

    /// Opens a page of the site.
    func open(_ path: String = "") async throws {
        try await window.open(site.address(path))
    }

    private func prepare(_ window: Window) async throws {
        try await window.resize(to: 1024, 768)
        if !usesServiceWorker { try await window.hideServiceWorkers() }
        // Animations cost most of the time of a browser without a graphics processor.
        try await window.prefer(dark: false, reducedMotion: true)
        try await window.setTime(site.clock.now())
    }
}

/// The error of a visit, with the end of the page server's log.
private struct FailedVisit: Error, CustomStringConvertible {
    let error: any Error
    let log: [String]

    var description: String { "\(error)\nThe page server's log:\n\(log.suffix(60).joined(separator: "\n"))" }
}
