import DuetHTTP
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Testing

/// The feed: opening it and refreshing it.
enum FeedChecks {
    static func opening() async throws {
        try await Reader.visit { reader in
            try await reader.open()
            try await reader.window.waitForImages()
            let ids = try await reader.window.value(
                of: "[...document.querySelectorAll('.card')].map((card) => card.dataset.id)"
            )
            #expect(ids.elements.count >= 10)
            #expect(ids.elements.compactMap(\.string) == Array(SampleFeed.ids.prefix(ids.elements.count)))
            #expect(try await reader.window.text("h1") == "My Feed")
            #expect(try await reader.window.isVisible("#banner") == false)
        }
    }

    static func optionalRows() async throws {
        try await Reader.visit(seed: .nothing) { reader in
            try await reader.site.publishElsewhere(nil)
            try await reader.open()
            #expect(try await reader.window.text(".card h2 a") == "Image without a description")
            #expect(try await reader.window.isVisible(".card .description") == false)
            #expect(try await reader.window.isVisible(".card .location") == false)
            #expect(try await reader.window.value(of: "document.querySelector('.card h2').clientHeight") == 0)
        }
    }

    static func emptyFeed() async throws {
        try await Reader.visit(seed: .nothing) { reader in
            try await reader.open()
            #expect(try await reader.window.text(".empty p") == "There are no images yet.")
            #expect(try await reader.window.count("#more") == 0)
        }
    }

    static func refresh() async throws {
        try await Reader.visit { reader in
            try await reader.open()
            try await reader.window.scrollToEnd()
            let new = try await reader.site.publishElsewhere("A new image")
            try await reader.window.run("scrollTo(0, 0)")
            try await reader.window.click("#refresh button")
            try await reader.window.wait(forAnnouncement: "The feed is up to date")
            #expect(try await reader.window.count(".card") == 13)
            #expect(try await reader.window.value(of: "document.querySelector('.card').dataset.id") == .id(new))
            #expect(try await reader.window.value(of: "document.activeElement.closest('form')?.id") == "refresh")
        }
    }

    static func refreshToEmpty() async throws {
        try await Reader.visit(seed: .nothing) { reader in
            let id = try await reader.site.publishElsewhere("The only one")
            try await reader.open()
            try await reader.window.wait(forCards: 1)
            try await reader.site.send(RemoveImage(id: id))
            try await reader.window.click("#refresh button")
            try await reader.window.wait(forCards: 0)
            // The event of the removal may be faster than the refresh.
            try await reader.window.wait(until: "document.querySelector('.empty')")
            #expect(try await reader.window.text(".empty p") == "There are no images yet.")
        }
    }

    static func repeatedLoad() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.hold("*/feed?*")
            try await window.run("scrollTo(0, document.body.scrollHeight)")
            try await window.wait(until: "document.querySelector('#more button').textContent == 'Loading…'")
            try await window.click("#more button")
            try await window.click("#more button")
            try await window.releaseRequests()
            try await window.scrollToEnd()
            #expect(try await window.count(".card") == 12)
            // The second page, and the empty one behind it.
            let requests = "performance.getEntriesByType('resource').filter((e) => e.name.includes('/feed?')).length"
            #expect(try await window.value(of: requests) == 2)
        }
    }

    static func abandonedLoad() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.hold("*/feed?*", "*/?*")
            try await window.run("scrollTo(0, document.body.scrollHeight)")
            try await window.wait(until: "document.querySelector('#more .busy')")
            try await window.run("scrollTo(0, 0)")
            try await window.click("#refresh button")
            try await window.wait(
                until: "document.querySelector('#refresh .busy') && !document.querySelector('#more .busy')"
            )
            // The abandoned load has ended by now, because its promise was rejected in the same turn.
            try await window.runUntilDone("setTimeout(done, 0)")
            #expect(try await window.value(of: "document.querySelector('main').ariaBusy") == "true")
            // The next load may follow at once, and has another announcement.
            try await window.run(
                """
                const status = document.querySelector('#status');
                window.said = [];
                new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true });
                """
            )
            try await window.releaseRequests()
            try await window.wait(until: "said.includes('The feed is up to date')")
            try await window.wait(until: "document.querySelector('main').ariaBusy === null")
        }
    }
}
