import DuetHTTP
import Foundation

/// Conditions and actions in the pages of the feed.
extension Window {
    /// Waits until the feed has at least this many images; a window that they do not fill gets more.
    func wait(forCards count: Int) async throws {
        try await wait(until: "document.querySelectorAll('.card').length >= \(count)")
    }

    /// Waits until every image of the page has arrived, or the first ones; some may have been released again.
    func waitForImages(first count: Int = 1_000) async throws {
        // Lazy images beyond the end of the window do not load.
        try await run("for (const image of document.images) image.loading = 'eager'")
        let frames = "[...document.querySelectorAll('.frame')].slice(0, \(count))"
        try await wait(until: "\(frames).every((frame) => frame.matches('[data-state=loaded], [data-state=released]'))")
    }

    /// Waits until the window shows the page as it is now.
    func waitForFrames() async throws {
        try await runUntilDone("requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))")
    }

    /// Scrolls until the feed has ended.
    func scrollToEnd() async throws {
        try await wait(until: "(scrollTo(0, document.body.scrollHeight), !document.querySelector('#more'))")
    }

    /// Waits until the server has the comments of this window.
    func waitUntilSent() async throws {
        try await wait(until: "results.size == 0 && !document.querySelector('.waiting')")
    }

    /// Waits until screen readers announce this text.
    func wait(forAnnouncement text: String) async throws {
        try await wait(until: "document.querySelector('#status').textContent == \(text.quoted)")
    }

    /// Waits until the banner shows this text.
    func wait(forBanner text: String) async throws {
        try await wait(
            until:
                "(b => !b.hidden && b.querySelector('p').textContent == \(text.quoted))(document.querySelector('#banner'))"
        )
    }

    /// The number of elements that match a CSS selector.
    func count(_ selector: String) async throws -> Int {
        Int(try await value(of: "document.querySelectorAll(\(selector.quoted)).length").number ?? -1)
    }

    /// The text of the first element that matches a CSS selector; nil if there is none.
    func text(_ selector: String) async throws -> String? {
        try await value(of: "document.querySelector(\(selector.quoted))?.textContent.trim()").string
    }

    /// The texts of all elements that match a CSS selector.
    func texts(_ selector: String) async throws -> [String] {
        let script = "[...document.querySelectorAll(\(selector.quoted))].map((element) => element.textContent.trim())"
        return try await value(of: script).elements.compactMap(\.string)
    }

    /// Whether the first element that matches a CSS selector is there and visible.
    func isVisible(_ selector: String) async throws -> Bool {
        try await value(of: "document.querySelector(\(selector.quoted))?.checkVisibility() ?? false").isTrue
    }

    /// How many pixels of the page are beyond the side of the window.
    var overflow: Int {
        get async throws {
            let overflow = try await value(
                of: "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            return Int(overflow.number ?? -1)
        }
    }
}

extension String {
    /// The text as a literal of JavaScript.
    var quoted: String {
        let data = (try? JSONEncoder().encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
