import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import Foundation
import Rounds
import Synchronization

/// Reads stored responses with bodies of 100 kB from the HTTP cache's stores, compared with hand-written SQLite code.
enum StoreRounds {
    static let count = 100
    static let rounds = 101
    static let length = 100_000

    static func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(component: "duet-http-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(component: "cache.sqlite").path
        let sqlite = try await SQLiteHTTPCacheStore(path: path)
        let memory = InMemoryHTTPCacheStore()
        let keys = (0..<count).map { HTTPCacheKey(uri: "https://example.com/images/\($0)") }
        let body = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        for store in [sqlite, memory] as [any HTTPCacheStore] { try await fill(store, keys, body) }
        let byHand = Mutex(try HandWrittenReader(path: path))

        let results = try await Rounds(
            rounds,
            [
                Measured("hand-written") {
                    for key in keys {
                        let read = try byHand.withLock { try $0.read(uri: key.uri) }
                        guard !read.head.isEmpty, read.body.count == length else {
                            throw WrongBody(store: "hand-written")
                        }
                    }
                },
                Measured("SQLite") { try await hit(sqlite, keys) },
                Measured("in memory") { try await hit(memory, keys) },
            ]
        )

        print("A hit with a body of 100 kB, one of \(count); medians of \(rounds) rounds.")
        for name in ["hand-written", "SQLite", "in memory"] {
            print(name.padded(to: 14) + "\((results[name] * 1_000 / Double(count)).text()) us")
        }
        printFigure(
            "hit of 100 kB, SQLite store / hand-written SQLite",
            results["SQLite"] / results["hand-written"],
            atMost: 2
        )
        printFigure(
            "hit of 100 kB, SQLite store, us",
            results["SQLite"] * 1_000 / Double(count),
            atMost: nil
        )
    }

    /// The calls that a cache makes to its store for a hit.
    private static func hit(_ store: any HTTPCacheStore, _ keys: [HTTPCacheKey]) async throws {
        for key in keys {
            guard let entry = try await store.entries(for: key).first,
                let body = try await store.body(of: entry.id, in: nil),
                try await body.collect(upTo: length, orThrow: WrongBody(store: key.uri)).count == length
            else { throw WrongBody(store: key.uri) }
            try await store.markUsed(entry.id)
        }
    }

    private static func fill(_ store: any HTTPCacheStore, _ keys: [HTTPCacheKey], _ body: Data) async throws {
        // An HTTP cache writes the heads; here they are copies of heads that it wrote.
        let head = try JSONDecoder().decode(StoredResponse.self, from: Data(Self.head.utf8))
        for key in keys {
            let writer = try await store.writer(for: key, length: Int64(body.count))
            try await writer.append(body)
            guard try await writer.commit(head, replacing: []) != nil else { throw WrongBody(store: key.uri) }
        }
    }

    private static let head = """
        {"method": "GET", "selection": {"isUnmatchable": false, "values": [{"name": "accept-encoding", "value": "gzip"}]},
        "response": {"reasonPhrase": "OK", "pseudoHeaderFields": [{"name": ":status", "value": "200"}], "headerFields": [
        {"name": "Date", "value": "Sat, 21 Nov 2026 12:00:00 GMT"}, {"name": "ETag", "value": "\\"a1b2c3d4e5\\""},
        {"name": "Content-Type", "value": "image/jpeg"}, {"name": "Content-Length", "value": "100000"},
        {"name": "Cache-Control", "value": "public, max-age=86400"}, {"name": "Vary", "value": "Accept-Encoding"},
        {"name": "Last-Modified", "value": "Fri, 20 Nov 2026 12:00:00 GMT"}, {"name": "Server", "value": "nginx"}]},
        "times": {"requested": 800000000.25, "received": 800000000.375}, "content": {"whole": {"_0": 100000}}}
        """
}
