import FeedTesting
import Testing

/// Failures of the feed and of its images.
enum ErrorChecks {
    private static let message = "Couldn't connect to server"

    static func failure() async throws {
        try await withBanner { reader in
            let cards = try await reader.window.count(".card")
            #expect(cards >= 10)
        }
    }

    static func nextLoad() async throws {
        try await withBanner { reader in
            try await reader.site.page.start()
            try await reader.window.hold("*/?*")
            try await reader.window.click("#refresh button")
            try await reader.window.wait(until: "document.querySelector('#refresh .busy')")
            #expect(try await reader.window.isVisible("#banner") == false)
            try await reader.window.releaseRequests()
            try await reader.window.wait(forAnnouncement: "The feed is up to date")
            #expect(try await reader.window.isVisible("#banner") == false)
        }
    }

    static func dismissal() async throws {
        try await withBanner { reader in
            try await reader.window.click("#banner .dismiss")
            #expect(try await reader.window.isVisible("#banner") == false)
            #expect(try await reader.window.count(".card") >= 10)
            #expect(try await reader.window.value(of: "document.activeElement.localName") == "main")
        }
    }

    static func placeholder() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await window.prefer(dark: false, reducedMotion: false)
            try await window.hold("*/data*")
            try await reader.open()
            #expect(try await window.count(".frame[data-state=loaded]") == 0)
            let animation = "getComputedStyle(document.querySelector('.frame')).animationName"
            #expect(try await window.value(of: animation) == "shimmer")
            try await window.releaseRequests()
            try await window.waitForImages()
            #expect(try await window.value(of: animation) == "none")
        }
    }

    static func imageRetry() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await window.block("*/data*")
            try await reader.open()
            try await window.wait(until: "document.querySelector('.frame').dataset.state == 'failed'")
            #expect(try await window.text(".problem p") == "The image could not be shown.")
            try await window.block()
            try await window.click(".problem button")
            try await window.wait(until: "document.querySelector('.frame').dataset.state == 'loaded'")
            #expect(try await window.isVisible(".problem") == false)
            #expect(try await window.value(of: "document.activeElement.matches('.card h2 a')") == true)
        }
    }

    /// A page whose refresh has failed, because the page server has stopped.
    private static func withBanner(_ body: (Reader) async throws -> Void) async throws {
        try await Reader.visit { reader in
            try await reader.open()
            try await reader.window.waitForImages()
            try await reader.site.page.stop()
            try await reader.window.click("#refresh button")
            try await reader.window.wait(forBanner: message)
            try await body(reader)
        }
    }
}
