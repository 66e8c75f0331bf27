import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation
import Synchronization

/// Uses a store in a process of its own, as tests cannot in theirs; a byte for each thing done.
///
///     HTTPCacheWriter store PATH FIRST CAPACITY   stores responses until it is killed, the first of that number
///     HTTPCacheWriter open PATH NUMBER            opens, stores one response, and after the end of input tells each loss
///     HTTPCacheWriter leave PATH NUMBER           opens a file in the current folder, leaves that, and stores one response
///     HTTPCacheWriter full PATH LIMIT             asks through a cache whose files cannot get longer, and then can again
///     HTTPCacheWriter clear PATH                  clears a cache whose files cannot get longer, and goes on when they can
@main
enum HTTPCacheWriter {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            // Without the trace of the stack that the language prints for an error here.
            try? FileHandle.standardError.write(contentsOf: Data("HTTPCacheWriter: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.count) {
        case ("store", 4):
            try await store(path: arguments[1], first: number(arguments[2]), capacity: number(arguments[3]))
        case ("open", 3): try await open(path: arguments[1], number: number(arguments[2]))
        case ("leave", 3): try await leave(path: arguments[1], number: number(arguments[2]))
        case ("full", 3): try await FullDisk(path: arguments[1], limit: number(arguments[2])).run()
        case ("clear", 2): try await FullDisk(path: arguments[1], limit: 0).clear()
        default: exit(64)
        }
    }

    /// Before each seventh response it removes all that is there.
    private static func store(path: String, first: Int, capacity: Int) async throws {
        let store = try SQLiteHTTPCacheStore(path: path, capacity: Int64(capacity))
        let subject = HTTPCacheStoreSubject(store)
        for number in first... {
            let key = HTTPCacheStoreSubject.key(number % 20)
            if number.isMultiple(of: 7) { try await store.removeAll() }
            let replaced = try await store.entries(for: key).map(\.id)
            // Some fit into one step, some need several.
            let body = HTTPCacheStoreSubject.bytes(number, count: [10, 100_000, 700_000][number % 3])
            try await subject.insert(number, body, for: key, replacing: replaced)
            try tellStep()
        }
    }

    private static func open(path: String, number: Int) async throws {
        let losses = Mutex(0)
        let store = try SQLiteHTTPCacheStore(path: path) { _ in losses.withLock { $0 += 1 } }
        try await HTTPCacheStoreSubject(store).insert(number, HTTPCacheStoreSubject.bytes(number, count: 300_000))
        try tellStep()
        _ = try FileHandle.standardInput.readToEnd()
        for _ in 0..<losses.withLock({ $0 }) { try tellStep() }
    }

    private static func leave(path: String, number: Int) async throws {
        let file = URL(filePath: path)
        let current = FileManager.default
        guard current.changeCurrentDirectoryPath(file.deletingLastPathComponent().path) else { exit(1) }
        let store = try SQLiteHTTPCacheStore(path: file.lastPathComponent)
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
