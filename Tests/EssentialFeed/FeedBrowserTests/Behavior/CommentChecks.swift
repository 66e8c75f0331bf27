import DuetHTTP
import DuetTesting
import FeedComposition
import FeedPresentation
import FeedTesting
import Foundation
import TestSupport
import Testing

/// The page of an image, with its comments.
enum CommentChecks {
    static func comments() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.click(".card")
            try await window.wait(until: "document.querySelector('#comments h2')?.textContent == 'Comments'")
            #expect(try await window.text("h1") == "Make a wish")
            #expect(try await window.texts(".comment b") == ["marmalade_moth", "tin.kettle", "paperlantern7"])
            #expect(
                try await window.texts(".comment .message")[1]
                    == "The big one looks like a small planet with its own sunrise."
            )
            #expect(try await window.text(".comment time") == "4 weeks ago")
            try await window.waitForImages()
        }
    }

    static func noComments() async throws {
        try await Reader.visit(seed: .nothing) { reader in
            let id = try await reader.site.publishElsewhere("A new image")
            try await reader.open("images/\(id)")
            #expect(try await reader.window.text("#comments .empty") == "Nobody has commented yet.")
        }
    }

    static func freshDates() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open(SampleFeed.dandelions)
            try await window.wait(until: "document.querySelector('.comment time').textContent == '4 weeks ago'")
            let later = Int((reader.site.clock.now().timeIntervalSince1970 + 14 * 86_400) * 1000)
            try await window.run("Date.now = () => \(later); dispatchEvent(new Event('visibilitychange'))")
            #expect(try await window.text(".comment time") == "1 month ago")
            try await expectServersAges(reader)
        }
    }

    /// The script writes every age as the server does, in each language.
    private static func expectServersAges(_ reader: Reader) async throws {
        let now = reader.site.clock.now()
        let day = 86_400
        let ages =
            [-60, 0, 1, 59, 60, 119, 3_599, 3_600, day - 1, day, 7 * day - 1, 7 * day, 365 * day - 1, 365 * day]
            + Array(stride(from: day * 3 / 2, to: 800 * day, by: day * 5))
        for language in Language.allCases {
            try await reader.open("\(SampleFeed.dandelions)?lang=\(language.tag)")
            let milliseconds = ages.map { Int((now.timeIntervalSince1970 - Double($0)) * 1000) }
            let shown = try await reader.window.value(of: "\(milliseconds).map((date) => age(new Date(date)))")
            let texts = ages.map { seconds in
                language.relativeText(of: now - Double(seconds), now: now, calendar: .utc)
            }
            #expect(shown.elements.compactMap(\.string) == texts)
        }
    }

    static func posting() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open(SampleFeed.dandelions)
            let message = "<script>alert(1)</script> & \"quotes\""
            try await window.hold("*/comments*")
            try await window.type(message, into: "#message")
            try await window.type("Ann", into: "#username")
            try await window.click("#comment button")
            try await window.wait(until: "document.querySelector('.waiting .note')?.textContent == 'Sending…'")
            #expect(try await window.text(".waiting .message") == message)
            try await window.releaseRequests()
            try await window.wait(until: "!document.querySelector('.waiting')")
            #expect(try await window.texts(".comment .message").last == message)
            #expect(try await window.count(".comment") == 4)
            #expect(try await window.value(of: "document.querySelector('#username').value") == "Ann")
            try await window.wait(until: "document.activeElement.id == 'message'")
            #expect(try await window.value(of: "document.activeElement.value") == "")
            // Nothing but the server's list is shown after a reload.
            try await window.reload()
            #expect(try await window.texts(".comment .message").last == message)
        }
    }

    static func invalidComment() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open(SampleFeed.dandelions)
            try await window.type("   ", into: "#message")
            try await window.type("Ann", into: "#username")
            try await window.click("#comment button")
            try await window.wait(until: "document.activeElement.id == 'message'")
            #expect(try await window.value(of: "document.activeElement.validity.valueMissing") == true)
            #expect(try await window.count(".comment") == 3)
        }
    }
}
