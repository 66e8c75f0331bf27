import DuetCaching
import DuetContracts
import DuetHTTPCaching
import DuetSQLite
import Foundation
import GRDB
import Synchronization

/// Uses a store in its own process, as tests cannot in theirs, and reports each step with one byte.
///
///     HTTPCacheWriter store PATH FIRST CAPACITY STATEMENT
///         stores responses, the first of that number, until it is killed, at the latest by itself at that statement
///     HTTPCacheWriter open PATH NUMBER
///         opens the file, stores one response, and after the end of input reports each loss
///     HTTPCacheWriter leave PATH NUMBER
///         opens a file in the current folder, changes that, and stores one response
///     HTTPCacheWriter full PATH LIMIT
///         sends requests through a cache whose files cannot grow, and then can again
///     HTTPCacheWriter clear PATH
///         clears a cache whose files cannot be written, and does so when they can
///     HTTPCacheWriter values PATH FIRST STATEMENT
///         stores values of queries, the first of that number, until it is killed, at the latest by itself at that
///         statement
///     HTTPCacheWriter commands PATH FIRST STATEMENT
///         stores commands, the first of that number, until it is killed, at the latest by itself at that statement
///     HTTPCacheWriter dispatch PATH FIRST LIST
///         dispatches commands through a queue, the first of that number, and appends to a list what was carried out
@main
enum HTTPCacheWriter {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            // Without the stack trace that the language prints for an error here.
            try? FileHandle.standardError.write(contentsOf: Data("HTTPCacheWriter: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.count) {
        case ("store", 5):
            try await store(
                path: arguments[1],
                first: number(arguments[2]),
                capacity: number(arguments[3]),
                until: number(arguments[4])
            )
        case ("open", 3):
            try await reportingLosses(path: arguments[1], busyTimeout: .seconds(20)) { store in
                let number = Self.number(arguments[2])
                let bytes = HTTPCacheStoreSubject.bytes(number, count: 600_000)
                try await HTTPCacheStoreSubject(store).insert(number, bytes)
            }
        case ("leave", 3): try await leave(path: arguments[1], number: number(arguments[2]))
        case ("full", 3): try await FullDisk(path: arguments[1], limit: number(arguments[2])).run()
        case ("values", 4):
            try await storeValues(path: arguments[1], first: number(arguments[2]), until: number(arguments[3]))
        case ("commands", 4):
            try await storeCommands(path: arguments[1], first: number(arguments[2]), until: number(arguments[3]))
        case ("dispatch", 4):
            try await QueuedPosts.dispatch(path: arguments[1], first: number(arguments[2]), list: arguments[3])
        case ("clear", 2): try await FullDisk(path: arguments[1], limit: 0).clear()
        default: exit(64)
        }
    }

    /// Removes everything before each seventh response.
    private static func store(path: String, first: Int, capacity: Int, until last: Int) async throws {
        let store = try await killing(at: last) {
            try await SQLiteHTTPCacheStore(path: path, capacity: Int64(capacity))
        }
        let subject = HTTPCacheStoreSubject(store)
        for number in first... {
            let key = HTTPCacheStoreSubject.key(number % 20)
            if number.isMultiple(of: 7) { try await store.removeAll() }
            let replaced = try await store.entries(for: key).map(\.id)
            // Some fit into one piece, some need several.
            let body = HTTPCacheStoreSubject.bytes(number, count: [10, 100_000, 700_000][number % 3])
            try await subject.insert(number, body, for: key, replacing: replaced)
            try tellStep()
        }
    }

    /// Removes everything before each seventh value, and marks a tag before each fifth.
    private static func storeValues(path: String, first: Int, until last: Int) async throws {
        let store = try await killing(at: last) { try await SQLiteCacheStore(path: path, limit: .init(entries: 8)) }
        let subject = CacheStoreSubject(store)
        for number in first... {
            if number.isMultiple(of: 7) { try await store.removeAll() }
            if number.isMultiple(of: 5) { try await subject.markStale(.tag("tag 0")) }
            let key = CacheStoreSubject.key(number % 10)
            try await subject.insert(number, count: number % 3 * 20_000, tags: ["tag \(number % 2)", "all"], for: key)
            try tellStep()
        }
    }

    /// Stores commands in order, and reports each.
    ///
    /// Each third one is updated, and the one ten numbers before is removed.
    private static func storeCommands(path: String, first: Int, until last: Int) async throws {
        let store = try await killing(at: last) { try await SQLiteCommandStore(path: path) }
        for number in first... {
            try await store.insert(CommandStoreSubject.command(number, count: number % 3 * 20_000))
            try tellStep()
            if number.isMultiple(of: 3) {
                let id = CommandStoreSubject.id(number)
                try await store.update(id, attempts: number, failure: "Rejected", isRetried: false)
            }
            if number >= 10 { try await store.remove([CommandStoreSubject.id(number - 10)]) }
        }
    }

    /// Opens a store that kills this process when a statement of a number begins.
    private static func killing<Store>(at last: Int, _ open: () async throws -> Store) async throws -> Store {
        let statements = Count()
        return try await DatabaseFile.$prepareConnection.withValue(
            { database in
                guard !database.configuration.readonly else { return }
                database.trace { _ in
                    if statements.next() == last { kill(getpid(), SIGKILL) }
                }
            },
            operation: open
        )
    }

    private static func reportingLosses(
        path: String,
        busyTimeout timeout: Duration,
        _ work: (SQLiteHTTPCacheStore) async throws -> Void
    ) async throws {
        let losses = Mutex(0)
        let store = try await SQLiteHTTPCacheStore(path: path, busyTimeout: timeout) { _ in losses.withLock { $0 += 1 }
        }
        try await work(store)
        try tellStep()
        _ = try FileHandle.standardInput.readToEnd()
        for _ in 0..<losses.withLock({ $0 }) { try tellStep() }
    }

    private static func leave(path: String, number: Int) async throws {
        let file = URL(filePath: path)
        let current = FileManager.default
        guard current.changeCurrentDirectoryPath(file.deletingLastPathComponent().path) else { exit(1) }
        let store = try await SQLiteHTTPCacheStore(path: file.lastPathComponent)
        guard current.changeCurrentDirectoryPath("/") else { exit(1) }
        try await HTTPCacheStoreSubject(store).insert(number, HTTPCacheStoreSubject.bytes(number, count: 10))
        try tellStep()
    }

    static func tellStep() throws {
        try FileHandle.standardOutput.write(contentsOf: Data(".".utf8))
    }

    private static func number(_ text: String) -> Int {
        Int(text) ?? { exit(64) }()
    }
}

private final class Count: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
