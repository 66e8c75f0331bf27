import Duet
import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import Testing

/// The feed: opening, refreshing and paging.
enum HeadlessFeedChecks {
    static func opening() async throws {
        let expected = try Manifest.load().items.prefix(10).map(\.id)
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let feed = await screens.feed()
                #expect(feed.title == "My Feed")
                #expect(feed.images.map(\.id) == expected)
                #expect(feed.error == nil)
                #expect(feed.age == nil)
            }
        }
    }

    static func optionalRows() async throws {
        try await HeadlessReader.visit(seed: nil) { reader in
            try await reader.signIn()
            try await reader.launch { screens in
                try await screens.publish(nil)
                let image = try #require(await screens.feed().images.first)
                #expect(image.description == nil)
                #expect(image.location == nil)
                #expect(image.label == "Image without a description")
            }
        }
    }

    static func emptyFeed() async throws {
        try await HeadlessReader.visit(seed: nil) { reader in
            try await reader.launch { screens in
                let feed = await screens.feed()
                #expect(feed.emptyMessage == "There are no images yet.")
                #expect(feed.lastImage == nil)
            }
        }
    }

    static func refresh() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.signIn()
            try await reader.launch { screens in
                let before = await screens.feed()
                try await screens.publish("A new image")
                let after = await screens.feed()
                #expect(after.images.first?.label == "A new image")
                #expect(after.images.dropFirst().map(\.id) == before.images.dropLast().map(\.id))
            }
        }
    }

    static func refreshToEmpty() async throws {
        try await HeadlessReader.visit(seed: nil) { reader in
            try await reader.signIn()
            try await reader.launch { screens in
                try await screens.publish("The only one")
                #expect(await screens.feed().images.count == 1)
                try await screens.dispatcher.dispatch(RemoveImage(id: .fixture(1)))
                let feed = await screens.feed()
                #expect(feed.images.isEmpty)
                #expect(feed.emptyMessage == "There are no images yet.")
            }
        }
    }

    static func newImages() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.signIn()
            try await reader.launch { screens in
                var ids = QueryUpdates(screens.dispatcher.observe(LoadNewestImage()))
                let newest = await screens.feed().images.first?.id
                guard case .value(newest) = await ids.next() else {
                    Issue.record("no newest image")
                    return
                }
                try await screens.publish("A new image")
                guard case .value(UUID.fixture(1)) = await ids.next() else {
                    Issue.record("no new image")
                    return
                }
            }
        }
    }

    static func failure() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { _ = await $0.feed() }
            try await reader.stopBackend()
            try await reader.launch { screens in
                let feed = await screens.feed()
                #expect(feed.error == "Couldn't connect to server")
                #expect(feed.images.count == 10)
            }
        }
    }

    static func cancellation() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let load = Task { await screens.feed() }
                load.cancel()
                let feed = await load.value
                #expect(feed.error == nil)
            }
        }
    }

    static func lastPage() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let pages = await screens.wholeFeed()
                #expect(pages.map(\.images.count) == [10, 2, 0])
                #expect(pages.last?.emptyMessage == "No more images")
                #expect(pages.last?.lastImage == nil)
                #expect(Set(pages.flatMap(\.images).map(\.id)).count == 12)
            }
        }
    }

    static func moreFailure() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let last = try #require(await screens.feed().lastImage)
                try await reader.stopBackend()
                let failed = await screens.feed(after: last)
                #expect(failed.error == "Couldn't connect to server")
                #expect(failed.emptyMessage == nil)
                try await reader.startBackend()
                #expect(await screens.feed(after: last).images.count == 2)
            }
        }
    }

    static func language() async throws {
        try await HeadlessReader.visit(backend: false) { reader in
            for (preferences, title, error) in [
                (["sv", "en"], "My Feed", "Couldn't connect to server"),
                (["el-GR"], "Το Feed μου", "Δεν ήταν δυνατή η σύνδεση στο διακομιστή"),
                (["pt-PT"], "Meu Feed", "Não foi possível conectar com o servidor"),
            ] {
                try await reader.launch(in: Language(preferring: preferences)) { screens in
                    let feed = await screens.feed()
                    #expect(feed.title == title)
                    #expect(feed.error == error)
                }
            }
        }
    }

    static func awkwardTexts() async throws {
        let texts = [
            "<script>alert(1)</script>", "שלום עולם", "👩‍👩‍👧‍👦🏳️‍🌈 e\u{0301}", "\u{202E}reversed",
            String(repeating: "long", count: 500),
        ]
        try await HeadlessReader.visit(seed: nil) { reader in
            try await reader.signIn()
            try await reader.launch { screens in
                for (number, text) in texts.enumerated() { try await screens.publish(text, number) }
                let shown = await screens.feed().images.compactMap(\.description)
                // Byte by byte, because equal texts may be stored in different ways.
                #expect(shown.map { Array($0.utf8) } == texts.reversed().map { Array($0.utf8) })
            }
        }
    }
}
