public import Duet
import Foundation
public import GRDB
import Synchronization

/// A database that tells caches what handlers read from it and write to it.
///
/// Handlers read with ``read(_:)`` and write with ``write(_:)``. Caches also notice writes through the pool itself, by
/// whatever code, but no reads through it.
public final class TrackedDatabase: TrackedSource {
    /// Connects the database with the caches that track it.
    public let tracker: DataTracker
    private let writer: any DatabaseWriter
    private let observer: WriteObserver
    private let schemas: Schemas
    private let trace: TrackedAccess.Trace?
    private let watch = Mutex<Task<Void, Never>?>(nil)

    /// Tracks a database.
    ///
    /// - Parameters:
    ///   - writer: The database, for which there is one tracker.
    ///   - name: The name of the database, which is the same in all processes.
    ///   - interval: The time after which writes of other processes are noticed; nil if there are none.
    ///   - clock: Measures the interval.
    ///   - trace: Receives the statements of each access, because a connection has only one receiver.
    /// - Throws: `DatabaseError`.
    public init(
        _ writer: any DatabaseWriter,
        name: String = "database",
        checkingEvery interval: Duration? = .milliseconds(100),
        clock: any Clock<Duration> = ContinuousClock(),
        trace: (@Sendable (Database.TraceEvent) -> Void)? = nil
    ) throws {
        self.writer = writer
        self.trace = trace
        let tracker = DataTracker(name)
        self.tracker = tracker
        let version: Int64
        (schemas, observer, version) = try writer.writeWithoutTransaction { db in
            let schemas = Schemas(version: Schema.version(of: db))
            let observer = WriteObserver(tracker, schemas)
            observer.begin(in: db)
            return (schemas, observer, try Self.version(of: db))
        }
        guard let interval else { return }
        let task = Task.detached { [weak self] in
            var last = version
            while (try? await clock.sleep(for: interval)) != nil, let now = await self?.foreignVersion(after: last) {
                last = now
            }
        }
        watch.withLock { $0 = task }
    }

    deinit {
        watch.withLock(\.self)?.cancel()
    }

    /// Makes everything stale if another connection has written since a version; returns the present one.
    private func foreignVersion(after last: Int64) async -> Int64 {
        // A closed database is not written.
        let version = try? await writer.writeWithoutTransaction { [observer] db in
            observer.noteRest(in: db, by: .unknown)
            let version = try Self.version(of: db)
            if version != last { observer.noteForeignWrite(db) }
            return version
        }
        return version ?? last
    }

    @Sendable private static func version(of db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
    }

    /// Reads from one state of the database.
    ///
    /// - Throws: The error of `body`; `DatabaseError`.
    public func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        let access = access()
        return try await writer.read { db in try access.run(in: db, body) }
    }

    /// Makes changes in one transaction.
    ///
    /// When it returns, no cache has a value from before.
    ///
    /// - Throws: The error of `body`, after which nothing has changed; `DatabaseError`.
    public func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        let access = access()
        defer { access.endNarrowing() }
        return try await writer.writeWithoutTransaction { [observer] db in
            try observer.observing(access, narrows: true, in: db) { try access.transaction(in: db, body) }
        }
    }

    /// Uses the connection that writes, without beginning a transaction.
    ///
    /// - Throws: The error of `body`; `DatabaseError`.
    public func writeWithoutTransaction<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let access = access()
        return try await writer.writeWithoutTransaction { [observer] db in
            try observer.observing(access, narrows: false, in: db) { try access.run(in: db, body) }
        }
    }

    private func access() -> TrackedAccess { TrackedAccess(tracker, schemas, trace) }
}

/// Reads without charging a load with it, such as for a log or a count of requests.
///
/// A value of the load must not depend on it.
///
/// - Throws: The error of `operation`.
public func withoutTracking<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
    try await DataUse(.exempt).run(operation)
}
