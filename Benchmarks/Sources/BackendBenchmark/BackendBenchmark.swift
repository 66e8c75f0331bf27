import Dispatch
import Duet
import DuetCaching
import DuetDependencies
import DuetHTTP
import FeedAPI
import FeedBackend
import FeedComposition
import FeedFeature
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// The program of `backend.sh`: fills a database, or serves its feed until the process ends.
///
///     BackendBenchmark fill PATH COUNT  creates a database with COUNT images; prints the id of the middle one
///     BackendBenchmark duet PATH        serves the database with FeedBackend; prints the port
///     BackendBenchmark telemetry PATH   the same with the metrics and the tracer of the program `feed`
///     BackendBenchmark by-hand PATH     serves the database with a hand-written route; prints the port
///     BackendBenchmark dictionary PATH  the same, and keeps the bytes of each page in a dictionary
///     BackendBenchmark page PATH COUNT  requests the first page in this process, with FeedBackend's handlers
///     BackendBenchmark pages PATH COUNT the same for pages that nobody asked for before
///     BackendBenchmark ids PATH COUNT   prints the ids of the newest COUNT images
///     BackendBenchmark write PATH       changes the newest image every ten milliseconds, until the process ends
///
/// At its end, a server of `FeedBackend` prints the reads of its cache.
@main
enum BackendBenchmark {
    /// A synchronous main, because an asynchronous one crashes Valgrind 3.19.
    static func main() throws {
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        Task.detached {
            do { try await run() } catch { failure.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let error = failure.withLock(\.self) { throw error }
    }

    private static func run() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("fill", 3):
            guard let count = Int(arguments[2]) else { return usage() }
            print(try await fill(arguments[1], count: count))
        case ("duet", 2): try await serve(arguments[1])
        case ("telemetry", 2):
            Telemetry.bootstrap(in: environment, version: "benchmark")
            try await serve(arguments[1])
        case ("by-hand", 2), ("dictionary", 2):
            try await handWrittenApplication(
                database: DatabasePool(path: arguments[1]),
                keepsPages: arguments[0] == "dictionary",
                onServerRunning: printPort
            ).runService()
        case ("page", 3...4), ("pages", 3...4):
            guard let count = Int(arguments[2]) else { return usage() }
            try await request(
                count,
                in: arguments[1],
                isFirst: arguments[0] == "page",
                timeout: arguments.dropFirst(3).first
            )
        case ("ids", 3):
            guard let count = Int(arguments[2]) else { return usage() }
            for id in try await newestImages(arguments[1], count: count) { print(id) }
        case ("write", 2): try await write(arguments[1])
        default:
            usage()
        }
    }

    private static var environment: FeedComposition.Environment {
        FeedComposition.Environment(logger: Logger(label: "backend"))
    }

    private static func serve(_ database: String) async throws {
        let container = try Container.backend(
            BackendOptions(database: URL(filePath: database), commentsPerMinute: 1_000_000),
            environment: environment
        )
        let backend = FeedBackend(container: container)
        try await backend.application(port: 0, onServerRunning: printPort).runService()
        let cache: QueryCache = try await container.resolve()
        for (query, reads) in cache.statistics.sorted(by: { $0.key < $1.key }) {
            print("\(query): \(reads.hits) hits, \(reads.coalesced) joined, \(reads.misses) misses")
        }
        await container.dispose()
    }

    private static func request(_ count: Int, in database: String, isFirst: Bool, timeout: String?) async throws {
        let pages = isFirst ? [] : try await newestImages(database, count: count).map { "&after_id=\($0)" }
        let container = try Container.backend(
            BackendOptions(database: URL(filePath: database)),
            environment: environment
        )
        let options = MountOptions(settings: .feed)
        let dispatcher = try await container.dispatcher
        let service = try HTTPService(MessageAPI("feed") { LoadFeed.self }, dispatcher, options: options) { print($0) }
        for number in 0..<count {
            let path = "/v1/feed?limit=10" + (isFirst ? "" : pages[number])
            var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
            if let timeout, let field = HTTPField.Name("Request-Timeout") { request.headerFields[field] = timeout }
            let (response, body) = await service.respond(to: request, body: nil)
            guard response.status == .ok, try await body.collect(upTo: 65_536, orThrow: CancellationError()).count > 100
            else { return usage() }
        }
        await container.dispose()
    }

    private static func newestImages(_ path: String, count: Int) async throws -> [String] {
        try await DatabaseQueue(path: path).read { db in
            try UUID.fetchAll(db, sql: "SELECT id FROM image ORDER BY position DESC LIMIT ?", arguments: [count])
                .map(\.uuidString)
        }
    }

    private static func write(_ path: String) async throws {
        let database = try DatabaseQueue(path: path)
        while true {
            try await database.write { db in
                try db.execute(
                    sql: "UPDATE image SET location = random() WHERE position = (SELECT max(position) FROM image)"
                )
            }
            try await ContinuousClock().sleep(for: .milliseconds(10))
        }
    }

    private static func fill(_ path: String, count: Int) async throws -> String {
        // Creates the tables.
        _ = try await FeedDatabase(path: path)
        return try await DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < ?)
                    INSERT INTO image (id, description, location)
                    SELECT
                        randomblob(16),
                        iif(value % 4 = 0, NULL, 'The view from the hill above the harbour, number ' || value),
                        iif(value % 3 = 0, NULL, 'Σαντορίνη, Greece')
                    FROM number
                    """,
                arguments: [count]
            )
            let middle = "SELECT id FROM image WHERE position = ?"
            return try UUID.fetchOne(db, sql: middle, arguments: [count / 2 + 1])?.uuidString ?? ""
        }
    }

    @Sendable @concurrent
    private static func printPort(_ channel: any Channel) async {
        print(channel.localAddress?.port ?? 0)
        // The script waits for the port at the other end of the pipe.
        fflush(nil)
    }

    private static func usage() {
        print(
            """
            usage: BackendBenchmark fill PATH COUNT | ids PATH COUNT | write PATH |
                   page PATH COUNT [TIMEOUT] | pages PATH COUNT [TIMEOUT] | duet PATH | telemetry PATH | by-hand PATH | dictionary PATH
            """
        )
    }
}
