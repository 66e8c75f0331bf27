import DuetHTTP
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Testing

/// Languages, sizes, and everything that is awkward.
enum EveryoneChecks {
    static func language() async throws {
        try await Reader.visit { reader in
            for (preference, tag, title) in [
                ("el-GR,en;q=0.5", "el", "Το Feed μου"), ("pt-PT", "pt-BR", "Meu Feed"), ("sv,en", "en", "My Feed"),
            ] {
                try await reader.window.prefer(languages: preference)
                try await reader.open()
                #expect(try await reader.window.text("h1") == title)
                #expect(try await reader.window.value(of: "document.documentElement.lang") == .string(tag))
            }
        }
    }

    static func languageSwitch() async throws {
        try await Reader.visit { reader in
            try await reader.open()
            // While more images arrive, the links at the end move.
            try await reader.window.scrollToEnd()
            try await reader.window.click(".footer a[lang=el]")
            try await reader.window.wait(until: "document.documentElement.lang == 'el'")
            // The choice is remembered without the address.
            try await reader.open(SampleFeed.dandelions)
            #expect(try await reader.window.text("#comments h2") == "Σχόλια")
        }
    }

    static func narrow() async throws {
        try await Reader.visit { reader in
            try await reader.window.resize(to: 320, 640)
            try await reader.open()
            try await reader.signIn(openingThen: "")
            for path in [""] + paths {
                try await reader.open(path)
                #expect(try await reader.window.overflow == 0, "/\(path)")
                // Nothing of a search is beyond the side.
                let ends =
                    "Math.max(...[...document.querySelectorAll('.chip')].map((chip) => chip.getBoundingClientRect().right))"
                #expect(try await reader.window.value(of: "\(ends) <= innerWidth") == true, "/\(path)")
            }
            try await expectBanner(in: reader)
            // The form for a comment covers nothing of a low window.
            try await reader.open(SampleFeed.dandelions)
            for (height, position) in [(600, "static"), (844, "sticky")] as [(Int64, JSONValue)] {
                try await reader.window.resize(to: 390, height)
                #expect(try await reader.window.value(of: composerPosition) == position)
            }
        }
    }

    /// The choices of a banner are on one line, within the window.
    private static func expectBanner(in reader: Reader) async throws {
        for width: Int64 in [320, 360, 390] {
            try await reader.window.resize(to: width, 640)
            for tag in ["en", "el", "pt-BR"] {
                try await reader.open("?lang=\(tag)")
                let distance = try await reader.window.value(
                    of: """
                        (showBanner(texts.connectionError), ['.again', '.dismiss'].map((choice) =>
                            document.querySelector(`#banner ${choice}`).getBoundingClientRect())
                            .map(({ top, bottom }) => (top + bottom) / 2).reduce((one, other) => Math.abs(one - other)))
                        """
                ).number
                #expect(try #require(distance) < 2, "\(width) \(tag)")
                #expect(try await reader.window.overflow == 0, "\(width) \(tag)")
            }
        }
    }

    static func largeText() async throws {
        try await Reader.visit { reader in
            try await reader.window.prefer(textSize: 200)
            try await reader.open()
            try await reader.signIn(openingThen: "")
            for path in [""] + paths {
                try await reader.open(path)
                #expect(try await reader.window.value(of: "getComputedStyle(document.body).fontSize") == "32px")
                #expect(try await reader.window.overflow == 0, "/\(path)")
                // A text that does not fit into its button or heading would be cut off.
                let cut = """
                    [...document.querySelectorAll('button, h1, a.button, label')].filter((element) =>
                        element.checkVisibility() && element.scrollWidth > element.clientWidth + 1
                        && getComputedStyle(element).display != 'inline').map((element) => element.textContent)
                    """
                #expect(try await reader.window.value(of: cut) == [], "/\(path)")
            }
        }
    }

    static func layoutShift() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            for path in ["", SampleFeed.dandelions] {
                try await window.hold("*/data*")
                try await reader.open(path)
                if path.isEmpty { try await window.scrollToEnd() }
                // Only the images are missing now, when the window shows the loaded pages.
                try await window.waitForFrames()
                try await window.run(
                    """
                    window.shifts = [];
                    new PerformanceObserver((list) => {
                        const moved = (entry) => entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 80));
                        for (const entry of list.getEntries()) window.shifts.push(entry.value, ...moved(entry));
                    }).observe({ type: 'layout-shift' });
                    """
                )
                try await window.releaseRequests()
                try await window.waitForImages()
                try await window.waitForFrames()
                let shifts = try await window.value(of: "window.shifts")
                #expect(shifts == [], "/\(path)")
            }
        }
    }

    static func withoutScripts() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await window.setScripts(enabled: false)
            try await reader.open()
            try await window.click("#more button")
            try await window.wait(
                until: "location.search.includes('after') && document.querySelectorAll('.card').length == 2"
            )
            try await window.click(".card h2 a")
            try await window.type("No script", into: "#message")
            try await window.type("Ann", into: "#username")
            // The form would cover the comments.
            #expect(try await window.value(of: composerPosition) == "static")
            try await window.click("#comment button")
            let isLast = "location.hash == `#${document.querySelector('.comment:last-child').id}`"
            try await window.wait(until: isLast)
            #expect(try await window.texts(".comment .message").last == "No script")
            try await reader.site.backend.stop()
            try await window.type("Later", into: "#message")
            try await window.type("Ann", into: "#username")
            try await window.click("#comment button")
            try await window.wait(until: "document.querySelector('.pending') && \(isLast)")
            try await reader.site.backend.start()
            try await window.click(".back")
            try await window.wait(forCards: 2)
        }
    }

    private static let composerPosition = "getComputedStyle(document.querySelector('.composer')).position"

    static func awkwardTexts() async throws {
        let texts = [
            "<script>alert(1)</script>", "שלום עולם, זאת תמונה", "👩‍👩‍👧‍👦🏳️‍🌈 e\u{0301}", "\u{202E}reversed",
            String(repeating: "long", count: 500), String(repeating: "many words ", count: 180),
        ]
        try await Reader.visit(seed: .nothing) { reader in
            for (number, text) in texts.enumerated() { try await reader.site.publishElsewhere(text, number) }
            let window = reader.window
            try await window.resize(to: 320, 640)
            try await reader.open()
            let shown = try await window.value(
                of: "[...document.querySelectorAll('.card h2 a')].map((link) => link.textContent)"
            )
            #expect(
                shown.elements.compactMap(\.string) == texts.reversed().map { $0.trimmingCharacters(in: .whitespaces) }
            )
            #expect(try await window.overflow == 0)
            for number in texts.indices {
                try await reader.open("images/\(UUID.fixture(number))")
                #expect(try await window.overflow == 0, "\(number)")
            }
            let direction = "getComputedStyle(document.querySelector('h1')).direction"
            try await reader.open("images/\(UUID.fixture(1))")
            #expect(try await window.value(of: direction) == "rtl")
        }
    }

    /// All pages but the feed.
    private static let paths = [
        SampleFeed.dandelions, "\(SampleFeed.dandelions)/remove", "publish", "sign-in", "nowhere", "?lang=el",
        "\(SampleFeed.dandelions)?lang=el",
    ]
}
