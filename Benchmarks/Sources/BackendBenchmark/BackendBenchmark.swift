import DuetDependencies
import FeedBackend
import FeedComposition
import Foundation
import GRDB
import Hummingbird
import Logging
import NIOCore

/// The program of `backend.sh`: fills a database, or serves its feed until the process ends.
///
///     BackendBenchmark fill PATH COUNT     creates a database with COUNT images; prints the id of the middle one
///     BackendBenchmark duet PATH           serves the database with FeedBackend; prints the port
///     BackendBenchmark telemetry PATH      the same with the metrics and the tracer of the program `feed`
///     BackendBenchmark traces PATH FILE    the same, and appends each span to a file
///     BackendBenchmark by-hand PATH        serves the database with a hand-written route; prints the port
@main
enum BackendBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("fill", 3):
            guard let count = Int(arguments[2]) else { return usage() }
            print(try await fill(arguments[1], count: count))
        case ("duet", 2): try await serve(arguments[1])
        case ("telemetry", 2):
            try Telemetry.bootstrap(in: environment, version: "benchmark")
            try await serve(arguments[1])
        case ("traces", 3):
            try Telemetry.bootstrap(in: environment, version: "benchmark", trace: URL(filePath: arguments[2]))
            try await serve(arguments[1])
        case ("by-hand", 2):
            try await handWrittenApplication(
                database: DatabasePool(path: arguments[1]),
                onServerRunning: printPort
            ).runService()
        default:
            usage()
        }
    }

    private static var environment: FeedComposition.Environment {
        FeedComposition.Environment(logger: Logger(label: "backend"))
    }

    private static func serve(_ database: String) async throws {
        let container = try Container.backend(
            BackendOptions(database: URL(filePath: database)),
            environment: environment
        )
        let backend = FeedBackend(container: container)
        try await backend.application(port: 0, onServerRunning: printPort).runService()
        await container.dispose()
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
        print("usage: BackendBenchmark fill PATH COUNT | duet PATH | telemetry PATH | traces PATH FILE | by-hand PATH")
    }
}
