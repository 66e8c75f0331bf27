import DuetHTTP
import FeedTesting
import Testing

/// Loading more, and the way back.
enum PagingChecks {
    static func lastPage() async throws {
        try await Reader.visit { reader in
            try await reader.window.resize(to: 320, 400)
            try await reader.open()
            #expect(try await reader.window.isVisible("#more"))
            try await reader.window.scrollToEnd()
            #expect(try await reader.window.count(".card") == 12)
            try await reader.window.wait(forAnnouncement: "No more images")
            try await reader.window.waitForImages()
        }
    }

    static func moreFailure() async throws {
        try await withFailedPage { reader in
            try await reader.site.backend.start()
            try await reader.window.click("#more button")
            try await reader.window.wait(forCards: 12)
        }
    }

    static func moreByScrolling() async throws {
        try await withFailedPage { reader in
            try await reader.site.backend.start()
            try await reader.window.run("scrollTo(0, 0)")
            // The observer reports that the end has left the view with the next picture of the window.
            try await reader.window.waitForFrames()
            try await reader.window.scrollToEnd()
            #expect(try await reader.window.count(".card") == 12)
        }
    }

    static func releasedImages() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            // So small that the end of the feed is far from its beginning.
            try await window.resize(to: 320, 400)
            try await reader.open()
            try await window.wait(until: "document.querySelector('.frame').dataset.state == 'loaded'")
            let height = try await window.value(of: "document.querySelector('.card').offsetHeight")
            try await window.scrollToEnd()
            try await window.wait(until: "document.querySelector('.frame').dataset.state == 'released'")
            #expect(try await window.value(of: "document.querySelector('.frame img').hasAttribute('src')") == false)
            #expect(try await window.value(of: "document.querySelector('.card').offsetHeight") == height)
            try await window.run("scrollTo(0, 0)")
            try await window.wait(until: "document.querySelector('.frame').dataset.state == 'loaded'")
        }
    }

    static func wayBack() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.scrollToEnd()
            for goBack in [{ try await window.click(".back") }, { try await window.back() }] {
                try await window.run("document.querySelectorAll('.card')[10].scrollIntoView({ block: 'center' })")
                let position = try await window.value(of: "Math.round(scrollY)").number ?? 0
                try await window.click(".card:nth-child(11)")
                try await window.wait(until: "document.querySelector('#comment')")
                try await goBack()
                try await window.wait(forCards: 12)
                #expect(try await window.count("#more") == 0)
                try await window.wait(until: "Math.abs(scrollY - \(position)) < 3")
            }
        }
    }

    /// A feed whose second page could not be loaded, because the backend has stopped.
    private static func withFailedPage(_ body: (Reader) async throws -> Void) async throws {
        try await Reader.visit { reader in
            // So small that the end of the feed is far from its beginning.
            try await reader.window.resize(to: 320, 400)
            try await reader.open()
            // No image is under way when the backend stops, so that only the page fails.
            try await reader.window.waitForImages()
            try await reader.site.backend.stop()
            try await reader.window.run("scrollTo(0, document.body.scrollHeight)")
            try await reader.window.wait(
                until: "document.querySelector('#more .failure').textContent == \"Couldn't connect to server\""
            )
            #expect(try await reader.window.text("#more button") == "Try again")
            #expect(try await reader.window.count(".card") == 10)
            try await body(reader)
        }
    }
}
