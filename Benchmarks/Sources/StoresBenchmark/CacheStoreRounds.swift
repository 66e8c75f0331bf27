import DuetCaching
import DuetSQLite
import Foundation
import Rounds
import Synchronization

/// Reads values of 1 kB and 100 kB from `SQLiteCacheStore`, compared with the same rows through SQLite's C functions.
enum CacheStoreRounds {
    static let count = 100
    static let rounds = 101

    static func run(in folder: URL) async throws {
        for (size, name) in [(1_000, "1 kB"), (100_000, "100 kB")] {
            let path = folder.appending(component: "values-\(size).sqlite").path
            let store = try await SQLiteCacheStore(path: path)
            let keys = (0..<count).map { number in
                CacheKey(
                    query: "App.LoadFeed",
                    version: 1,
                    scope: "user:ada",
                    encodedQuery: Data(#"{"filter":"everything","page":\#(number),"sort":"date"}"#.utf8)
                )
            }
            let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            for (number, key) in keys.enumerated() {
                let value = StoredValue(
                    bytes: bytes,
                    loaded: Date(timeIntervalSinceReferenceDate: 800_000_000.25),
                    usableUntil: Date(timeIntervalSinceReferenceDate: 900_000_000.25),
                    tags: ["feed"],
                    writer: UUID(),
                    epoch: number
                )
                try await store.insert(value, for: key)
            }
            let byHand = Mutex(try HandWrittenValueReader(path: path))
            let ids = try byHand.withLock { try $0.ids() }

            let results = try await Rounds(
                rounds,
                [
                    Measured("hand-written") {
                        for id in ids {
                            let value = try byHand.withLock { try $0.read(id) }
                            guard value.bytes.count == size else { throw WrongFeed(store: "hand-written") }
                        }
                    },
                    Measured("SQLite") {
                        for key in keys {
                            guard try await store.value(for: key)?.bytes.count == size else {
                                throw WrongFeed(store: "SQLite")
                            }
                        }
                    },
                ]
            )

            print("A hit of \(name), one of \(count); medians of \(rounds) rounds.")
            for name in ["hand-written", "SQLite"] {
                print(name.padded(to: 14) + "\((results[name] * 1_000 / Double(count)).text()) us")
            }
            printFigure(
                "hit of \(name), SQLite cache store / hand-written SQLite",
                results["SQLite"] / results["hand-written"],
                atMost: 1.5
            )
        }
    }
}
