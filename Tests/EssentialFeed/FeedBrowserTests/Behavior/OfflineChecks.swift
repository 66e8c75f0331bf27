import DuetTesting
import FeedPresentation
import FeedTesting
import Foundation
import TestSupport
import Testing

/// The page server without its backend.
enum OfflineChecks {
    static func offline() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.scrollToEnd()
            try await window.waitForImages()
            try await reader.site.backend.stop()
            // A page server that was started again remembers nothing but what it has saved.
            try await reader.site.page.stop()
            reader.site.clock.advance(by: 300)
            try await reader.site.page.start()
            try await window.setTime(reader.site.clock.now())
            try await window.devTools("Network.clearBrowserCache")
            try await window.reload()
            try await window.wait(until: "document.querySelector('.age')")
            #expect(try await window.isVisible("#banner") == false)
            try await window.wait(forCards: 12)
            try await window.waitForImages()
            #expect(try await window.text(".age time") == "You see the feed saved 5 minutes ago")
        }
    }

    static func restart() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.scrollToEnd()
            // Replaces the saved feed.
            try await reader.open()
            try await reader.site.page.stop()
            try await reader.site.page.start()
            for (id, name) in [
                (SampleFeed.ids.first, "Make a wish"), (SampleFeed.ids.last, "Free"),
            ] {
                try await reader.open("images/\(try #require(id))")
                #expect(try await window.text("h1") == name)
                try await window.waitForImages()
                #expect(try await window.count(".frame") == 1)
            }
        }
    }

    static func offlineWithoutCache() async throws {
        try await Reader.visit(backend: false) { reader in
            try await reader.open()
            try await reader.window.wait(forBanner: "Couldn't connect to server")
            #expect(try await reader.window.count(".card") == 0)
            #expect(try await reader.window.count(".empty") == 0)
            // The link of the banner loads the feed when the backend is back.
            try await reader.site.backend.start()
            try await reader.window.click("#banner .again")
            try await reader.window.wait(forCards: 10)
            #expect(try await reader.window.isVisible("#banner") == false)
        }
    }

    static func forgottenComments() async throws {
        try await Reader.visit { reader in
            try await reader.open()
            try await reader.open(SampleFeed.dandelions)
            #expect(try await reader.window.count(".comment") == 3)
            try await reader.site.backend.stop()
            try await reader.site.page.stop()
            try await reader.site.page.start()
            try await reader.open(SampleFeed.dandelions)
            try await reader.window.wait(forBanner: "Couldn't connect to server")
            #expect(try await reader.window.count(".comment") == 0)
            #expect(try await reader.window.text("#comments .empty") == Language.english[.commentsUnavailable])
            #expect(try await reader.window.text("h1") == "Make a wish")
            // The page gets them when the backend is back.
            try await reader.site.backend.start()
            try await reader.window.wait(until: "document.querySelectorAll('.comment').length == 3")
            #expect(try await reader.window.isVisible("#banner") == false)
            #expect(try await reader.window.count("#comments .empty") == 0)
        }
    }
}
