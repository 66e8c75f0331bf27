import FeedCache
import FeedCacheSQLite
import FeedFeature
import Foundation
import Rounds

/// Saves and loads a feed through `LocalFeedLoader` on each store, and reads cached query values, compared with
/// hand-written SQLite code.
@main
enum StoresBenchmark {
    static let imageCount = 10_000
    static let bytesCount = 200
    static let rounds = 31

    static func main() async throws {
        let feed = SampleFeed.images(count: imageCount)
        let bytes = Data(repeating: 7, count: 1_000)
        let folder = FileManager.default.temporaryDirectory.appending(component: "duet-stores-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let byHand = try SharedHandWrittenStore(path: folder.appending(component: "by-hand.sqlite").path)
        let sqlite = try await SQLiteFeedStore(url: folder.appending(component: "sqlite/feed.sqlite"))
        let stores: [(name: String, feed: any FeedStore, data: any FeedImageDataStore)] = [
            ("SQLite", sqlite, sqlite)
        ]
        let inMemory = InMemoryFeedStore()

        var saves = [Measured("hand-written") { try byHand.use { try $0.save(feed, timestamp: SampleFeed.savedAt) } }]
        var loads = [
            Measured("hand-written") {
                guard let loaded = try byHand.use({ try $0.load() }), loaded.images.count == imageCount else {
                    throw WrongFeed(store: "hand-written")
                }
            }
        ]
        for (name, store, data) in stores + [("in memory", inMemory, inMemory)] {
            let loader = LocalFeedLoader(
                store: store,
                policy: FeedCachePolicy(calendar: Calendar(identifier: .gregorian))
            ) { SampleFeed.savedAt }
            saves.append(Measured(name) { try await loader.save(feed) })
            loads.append(
                Measured(name) {
                    guard try await loader.load().images.count == imageCount else { throw WrongFeed(store: name) }
                }
            )
            // Compares all bits once before the rounds, which compare only the number of images.
            try await loader.save(feed)
            for image in feed.prefix(bytesCount) { try await data.insert(bytes, for: image.url) }
            guard try await loader.load().images == feed else { throw WrongFeed(store: name) }
        }
        try byHand.use { store in
            try store.save(feed, timestamp: SampleFeed.savedAt)
            for image in feed.prefix(bytesCount) { try store.insert(bytes, for: image.url) }
            guard let loaded = try store.load(), loaded.images == feed, loaded.timestamp == SampleFeed.savedAt else {
                throw WrongFeed(store: "hand-written")
            }
        }

        // Saves and loads take turns too, so that each load reads a feed that was just saved.
        let results = try await Rounds(
            rounds,
            saves.map { save in Measured("save " + save.name, save.body) }
                + loads.map { load in Measured("load " + load.name, load.body) }
        )

        print("A feed of \(imageCount) images, the bytes of \(bytesCount) of them kept; medians of \(rounds) rounds.")
        let base = (save: results["save hand-written"], load: results["load hand-written"])
        print("store".padded(to: 14) + "save, ms  ratio   load, ms  ratio")
        for name in loads.map(\.name) {
            let (save, load) = (results["save " + name], results["load " + name])
            let columns = [
                name.padded(to: 14),
                save.isNaN
                    ? "".padded(to: 18) : "\(save.text().padded(to: 10))\((save / base.save).text().padded(to: 8))",
                load.text().padded(to: 10), (load / base.load).text(),
            ]
            print(columns.joined())
        }
        for (name, limit) in [("SQLite", 1.5), ("in memory", nil)] {
            printFigure(
                "save 10,000 images, \(name) store / hand-written SQLite",
                results["save " + name] / base.save,
                atMost: limit
            )
            printFigure(
                "load 10,000 images, \(name) store / hand-written SQLite",
                results["load " + name] / base.load,
                atMost: limit
            )
        }

        try await CacheStoreRounds.run(in: folder)
        try await CacheMarkRounds.run(in: folder)
    }
}
