import FeedCache
import FeedCacheSQLite
import FeedTesting
import Foundation

/// Uses a store in a separate process, so that tests can kill it, or open a store that another process uses.
///
/// `FeedStoreWriter <write|hold|save> <path>`
@main
enum FeedStoreWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let task = FeedStoreWriterProcess.Task(rawValue: arguments[1]) else { exit(64) }
        let store = try await SQLiteFeedStore(url: URL(filePath: arguments[2]))
        switch task {
        case .write: try await write(to: store)
        case .hold: try await hold(store)
        case .save:
            try await store.insert(GeneratedFeed(1).feed.images, timestamp: GeneratedFeed(1).feed.timestamp)
            try report(.committed)
            _ = try FileHandle.standardInput.readToEnd()
        }
    }

    private static func write(to store: any FeedImageDataStoreContract.Store) async throws {
        var generation = Int(try await store.retrieve()?.timestamp.timeIntervalSinceReferenceDate ?? 0)
        while true {
            generation += 1
            let generated = GeneratedFeed(generation)
            let feed = generated.feed
            try await store.transaction { store in
                try store.deleteCachedFeed()
                try report(.deleted)
                try store.insert(feed.images, timestamp: feed.timestamp)
                try report(.inserted)
            }
            try report(.committed)
            for url in generated.imagesWithData {
                try await store.insert(GeneratedFeed.data(for: url), for: url)
                try report(.stored)
            }
        }
    }

    private static func hold(_ store: any FeedImageDataStoreContract.Store) async throws {
        try await store.transaction { _ in
            try report(.deleted)
            _ = try FileHandle.standardInput.readToEnd()
        }
    }

    private static func report(_ step: FeedStoreWriterProcess.Step) throws {
        try FileHandle.standardOutput.write(contentsOf: Data([step.rawValue]))
    }
}
