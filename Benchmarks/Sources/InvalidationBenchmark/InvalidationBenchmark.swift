import Duet
import DuetCaching
import DuetSQLite
import Foundation
import GRDB
import Rounds
import Synchronization

/// The values that writes make stale without a rule, and the costs of knowing that.
@main
enum InvalidationBenchmark {
    static func main() async throws {
        for seed in [7, 8, 9] as [UInt64] {
            try await count("no rules, seed \(seed)", isNarrowed: false, seed, atMost: 140)
            try await count("rules that narrow, seed \(seed)", isNarrowed: true, seed, atMost: 62)
        }
        try await count("no rules, beside 200 requests per second", isNarrowed: false, 7, requests: 200, atMost: 140)
        try await accesses()
        try await commits()
        try await hits()
        try await memory()
    }

    // MARK: Values

    private static let writes = 400

    /// Counts the values that writes make stale, and those that change and are not stale.
    private static func count(
        _ name: String,
        isNarrowed: Bool,
        _ seed: UInt64,
        requests: Int? = nil,
        atMost limit: Double
    ) async throws {
        let workload = try Workload(isNarrowed: isNarrowed)
        var random = Generator(seed: seed)
        let reads = Workload.reads(&random)
        var values: [[[DatabaseValue]]] = []
        for read in reads { values.append(try await read.load(from: workload.cached)) }
        let traffic = requests.map { perSecond in
            Task.detached { [database = workload.database] in
                while !Task.isCancelled {
                    try await withServedRequest {
                        _ = try await database.read { try Int.fetchOne($0, sql: "SELECT uses FROM token WHERE id = 1") }
                        try await database.write { try $0.execute(sql: "UPDATE token SET uses = uses + 1") }
                    }
                    try await ContinuousClock().sleep(for: .seconds(1.0 / Double(perSecond)))
                }
            }
        }
        var (stale, changed, missed) = (0, 0, 0)
        for number in 0..<writes {
            let command = Workload.write(number, &random)
            try await workload.cached.dispatch(command)
            let rows = try await workload.pool.read { db in try reads.map { try $0.rows(in: db) } }
            for (index, (read, fresh)) in zip(reads, rows).enumerated() {
                let isStale = read.peek(in: workload.cached.cache) == nil
                if isStale { stale += 1 }
                if fresh != values[index] {
                    changed += 1
                    if !isStale { missed += 1 }
                }
                values[index] = fresh
                if isStale { _ = try await read.load(from: workload.cached) }
            }
        }
        traffic?.cancel()
        let truth = Double(changed) / Double(writes)
        print("\(reads.count) cached queries, \(name): \(truth.text(1)) values change with a write")
        printFigure("values that a write makes stale, \(name)", Double(stale) / Double(writes), atMost: limit)
        printFigure("changed values that are not stale, \(name)", Double(missed), atMost: 0)
    }

    // MARK: Accesses

    private static func accesses() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(component: "invalidation-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pool = try DatabasePool(path: folder.appending(component: "images.sqlite").path)
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE image (id INTEGER PRIMARY KEY, title TEXT, likes INT)")
            for id in 1...2_000 { try db.execute(sql: "INSERT INTO image VALUES (?, 'title', 0)", arguments: [id]) }
        }
        let database = try TrackedDatabase(pool)
        let point = { @Sendable (db: Database) in
            let statement = try db.cachedStatement(sql: "SELECT title FROM image WHERE id = ?")
            return try String.fetchOne(statement, arguments: [17])
        }
        let page = { @Sendable (db: Database) in
            let sql = "SELECT id, title, likes FROM image WHERE id < ? ORDER BY id DESC LIMIT 20"
            return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [1_500]).map { $0[1] as String }
        }
        let write = { @Sendable (db: Database) in
            try db.cachedStatement(sql: "UPDATE image SET likes = likes + 1 WHERE id = ?").execute(arguments: [17])
        }
        let rounds = try await Rounds(
            41,
            [
                Measured("point") { for _ in 0..<500 { _ = try await pool.read(point) } },
                Measured("tracked point") { for _ in 0..<500 { _ = try await database.read(point) } },
                Measured("page") { for _ in 0..<500 { _ = try await pool.read(page) } },
                Measured("tracked page") { for _ in 0..<500 { _ = try await database.read(page) } },
            ]
        )
        // Without the tracker, the connection has no observer.
        let other = try DatabasePool(path: folder.appending(component: "others.sqlite").path)
        try await pool.backup(to: other)
        let writes = try await Rounds(
            41,
            [
                Measured("write") { for _ in 0..<100 { try await other.write(write) } },
                Measured("tracked write") { for _ in 0..<100 { try await database.write(write) } },
            ]
        )
        print(
            "A point read \((rounds["point"] * 2).text(1)) µs, a page \((rounds["page"] * 2).text(1)) µs, "
                + "a write \((writes["write"] * 10).text(1)) µs"
        )
        printFigure("a point read, tracked / not", rounds["tracked point"] / rounds["point"], atMost: 1.15)
        printFigure("a page of 20 rows, tracked / not", rounds["tracked page"] / rounds["page"], atMost: 1.05)
        printFigure("a write of one row, tracked / not", writes["tracked write"] / writes["write"], atMost: 1.15)
    }

    // MARK: Commits

    private struct LoadRow: Query, Hashable {
        typealias Value = Int
        let id: Int
    }

    private struct LoadRowHandler: QueryHandler {
        let database: TrackedDatabase
        /// Ten columns, so that a value has twelve tags with the rows and the database.
        private static let sql = "SELECT a + b + c + d + e + f + g + h + i + j FROM wide"

        func handle(_ query: LoadRow) async throws -> Int {
            try await database.read { try Int.fetchOne($0.cachedStatement(sql: Self.sql)) ?? 0 }
        }
    }

    private static func wide(_ values: Int) async throws -> (DatabaseQueue, CachingDispatcher) {
        let queue = try DatabaseQueue()
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE wide (a INT, b INT, c INT, d INT, e INT, f INT, g INT, h INT, i INT, j INT, k INT);
                    INSERT INTO wide VALUES (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
                    """
            )
        }
        let database = try TrackedDatabase(queue, checkingEvery: nil)
        let handlers = try StandardDispatcher { LoadRowHandler(database: database) }
        let cached = try handlers.caching(in: .memory(limit: .entries(200_000)), tracking: database) {
            Cache(LoadRow.self, scope: .shared)
        }
        for id in 0..<values { _ = try await cached.dispatch(LoadRow(id: id)) }
        return (queue, cached)
    }

    private static func commits() async throws {
        let (empty, cache) = try await wide(1)
        let (full, other) = try await wide(100_000)
        let write = { @Sendable (db: Database) in try db.execute(sql: "UPDATE wide SET a = a + 1, k = k + 1") }
        let rounds = try await Rounds(
            41,
            [
                Measured("none") { for _ in 0..<200 { try await empty.write(write) } },
                Measured("many") { for _ in 0..<200 { try await full.write(write) } },
            ]
        )
        withExtendedLifetime((cache, other)) {}
        printFigure("a commit with 100,000 cached values / with one", rounds["many"] / rounds["none"], atMost: 1.05)
    }

    // MARK: Hits

    private static func hits() async throws {
        let (_, cached) = try await wide(1_000)
        let dispatcher: any Dispatcher = cached
        let dictionary = Mutex<[LoadRow: Int]>([:])
        for id in 0..<1_000 { dictionary.withLock { $0[LoadRow(id: id)] = 10 } }
        let rounds = try await Rounds(
            51,
            [
                Measured("dispatcher") {
                    for id in 0..<20_000 { _ = try await dispatcher.dispatch(LoadRow(id: id % 1_000)) }
                },
                Measured("dictionary") {
                    for id in 0..<20_000 { precondition(dictionary.withLock { $0[LoadRow(id: id % 1_000)] } == 10) }
                },
            ]
        )
        print("A hit with twelve tags: \((rounds["dispatcher"] * 50).text(1)) ns")
        let ratio = rounds["dispatcher"] / rounds["dictionary"]
        printFigure("a hit with twelve tags / a Dictionary behind a Mutex", ratio, atMost: 6)
    }

    // MARK: Memory

    private struct Constant: QueryHandler {
        func handle(_ query: LoadRow) -> Int { 10 }
    }

    private static func memory() async throws {
        let plain = try StandardDispatcher { Constant() }.caching(in: .memory(limit: .entries(200_000))) {
            Cache(LoadRow.self, .maxAge(.hours(1)), scope: .shared)
        }
        let start = residentBytes()
        for id in 0..<100_000 { _ = try await plain.dispatch(LoadRow(id: id)) }
        let middle = residentBytes()
        let (_, tracked) = try await wide(100_000)
        let bytes = Double(residentBytes() - middle - (middle - start)) / 100_000
        withExtendedLifetime((plain, tracked)) {}
        printFigure("memory of an entry for its twelve tags: bytes", bytes, atMost: 200)
    }

    private static func residentBytes() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        return (status.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }
}
