import DuetCaching
import DuetContracts
import DuetSQLite
import Foundation
import GRDB
import Synchronization

/// Uses a store in its own process, as tests cannot in theirs, and reports each step with one byte.
///
///     StoreWriter values PATH FIRST STATEMENT
///         stores values of queries, the first of that number, until it is killed, at the latest by itself at that
///         statement
///     StoreWriter commands PATH FIRST STATEMENT
///         stores commands, the first of that number, until it is killed, at the latest by itself at that statement
///     StoreWriter dispatch PATH FIRST LIST
///         dispatches commands through a queue, the first of that number, and appends to a list what was carried out
///     StoreWriter open PATH NUMBER
///         opens a file of values, stores one, and after the end of input reports each loss
///     StoreWriter leave PATH NUMBER
///         opens a file of values in the current folder, changes that, and stores one value
///     StoreWriter full PATH LIMIT
///         stores values in files that cannot grow, and then can again
@main
enum StoreWriter {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            // Without the stack trace that the language prints for an error here.
            try? FileHandle.standardError.write(contentsOf: Data("StoreWriter: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.count) {
        case ("values", 4):
            try await storeValues(path: arguments[1], first: number(arguments[2]), until: number(arguments[3]))
        case ("commands", 4):
            try await storeCommands(path: arguments[1], first: number(arguments[2]), until: number(arguments[3]))
        case ("dispatch", 4):
            try await QueuedPosts.dispatch(path: arguments[1], first: number(arguments[2]), list: arguments[3])
        case ("open", 3): try await open(path: arguments[1], number: number(arguments[2]))
        case ("leave", 3): try await leave(path: arguments[1], number: number(arguments[2]))
        case ("full", 3): try await FullDisk(path: arguments[1]).run(limit: number(arguments[2]))
        default: exit(64)
        }
    }

    /// Removes everything before each seventh value, and marks a tag before each fifth.
    private static func storeValues(path: String, first: Int, until last: Int) async throws {
        let store = try await killing(at: last) {
            try await SQLiteCacheStore(path: path, limit: .init(entries: 8), busyTimeout: .seconds(3_600))
        }
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
        let store = try await killing(at: last) {
            try await SQLiteCommandStore(path: path, busyTimeout: .seconds(3_600))
        }
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

    private static func open(path: String, number: Int) async throws {
        let losses = Mutex(0)
        let store = try await SQLiteCacheStore(path: path, busyTimeout: .seconds(3_600)) { _ in
            losses.withLock { $0 += 1 }
        }
        try await CacheStoreSubject(store).insert(number, count: size(number))
        try tellStep()
        _ = try FileHandle.standardInput.readToEnd()
        for _ in 0..<losses.withLock({ $0 }) { try tellStep() }
    }

    private static func leave(path: String, number: Int) async throws {
        let file = URL(filePath: path)
        let current = FileManager.default
        guard current.changeCurrentDirectoryPath(file.deletingLastPathComponent().path) else { exit(1) }
        let store = try await SQLiteCacheStore(path: file.lastPathComponent, busyTimeout: .seconds(3_600))
        guard current.changeCurrentDirectoryPath("/") else { exit(1) }
        try await CacheStoreSubject(store).insert(number, count: size(number))
        try tellStep()
    }

    /// The number of bytes of a value: some take one page, some several.
    static func size(_ number: Int) -> Int { [10, 100_000, 700_000][number % 3] }

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
