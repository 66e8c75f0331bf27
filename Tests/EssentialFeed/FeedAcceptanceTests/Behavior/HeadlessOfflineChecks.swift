import Duet
import DuetTesting
import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import TestSupport
import Testing

/// The saved feed, and the search in the server's and in the saved one.
enum HeadlessOfflineChecks {
    private static let day: TimeInterval = 24 * 60 * 60

    static func offline() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                for image in await screens.wholeFeed().flatMap(\.images) {
                    _ = try await screens.dispatcher.dispatch(LoadImageData(url: screens.url(of: image.id)))
                }
            }
            try await reader.stopBackend()
            reader.clock.advance(by: 5 * 60)
            try await reader.launch { screens in
                let feed = await screens.feed()
                #expect(feed.images.count == 12)
                #expect(feed.age == "Saved 5 minutes ago")
                #expect(feed.error == "Couldn't connect to server")
                for image in feed.images {
                    let data = try await screens.dispatcher.dispatch(LoadImageData(url: screens.url(of: image.id)))
                    #expect(ImageFormat(data: data) != nil)
                }
            }
        }
    }

    static func offlineWithoutCache() async throws {
        try await HeadlessReader.visit(backend: false) { reader in
            try await reader.launch { screens in
                let feed = await screens.feed()
                #expect(feed.images.isEmpty)
                #expect(feed.error == "Couldn't connect to server")
                #expect(feed.emptyMessage == nil)
            }
        }
    }

    static func background() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { _ = await $0.feed() }
            try await reader.stopBackend()
            for (age, count) in [(7 * day - 1, 10), (1, 0)] {
                reader.clock.advance(by: age)
                try await reader.launch { screens in
                    try await screens.dispatcher.dispatch(RemoveInvalidFeedCache())
                    let feed = await screens.feed()
                    #expect(feed.images.count == count)
                    #expect((feed.age == nil) == (count == 0))
                }
            }
        }
    }

    static func search() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let found = await screens.search(SearchFeed("DANDELION"))
                #expect(found.title == "Search: DANDELION")
                #expect(found.found == "1 image found")
                #expect(found.images.map(\.label) == ["Dandelion seed heads in a meadow, lit by the low sun"])

                let oldest = SearchFeed(order: .oldest)
                let first = try await screens.dispatcher.dispatch(oldest)
                let last = try #require(first.images.last)
                let cursor = FeedCursor(imageID: last.id)
                let second = await screens.search(SearchFeed(order: .oldest, after: cursor))
                #expect(first.images.first?.description == "A painted wooden bird hangs below bright round lamps")
                #expect(second.images.map(\.label).last == "Dandelion seed heads in a meadow, lit by the low sun")

                let filter = FeedFilter(hasLocation: true)
                let places = await screens.search(SearchFeed(filter: filter, order: .mostCommented))
                #expect(places.images.first?.label == "A path climbs a meadow toward gray cliffs with snow")
                #expect(places.images.allSatisfy { $0.location != nil })
            }
        }
    }

    static func emptySearch() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { screens in
                let nothing = await screens.search(SearchFeed("unicorn"))
                #expect(nothing.emptyMessage == "No images match this search.")
                #expect(nothing.found == nil)
            }
        }
    }

    static func offlineSearch() async throws {
        try await HeadlessReader.visit { reader in
            try await reader.launch { _ = await $0.feed() }
            try await reader.stopBackend()
            try await reader.launch { screens in
                let found = await screens.search(SearchFeed("cliffs"))
                #expect(found.images.map(\.label) == ["A path climbs a meadow toward gray cliffs with snow"])
                #expect(found.error == "Couldn't connect to server")
                #expect(found.age == "Searched in the feed saved now")
            }
        }
    }
}

extension HeadlessScreens {
    /// The address of an image that the cache knows.
    fileprivate func url(of image: UUID) async throws -> URL {
        let summary = try await dispatcher.dispatch(LoadFeedCacheSummary())
        return try #require(summary?.images.first { $0.id == image }?.url)
    }
}
