import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation

/// Stores responses in a process of its own, one after the other, so that tests can kill it; a byte for each one stored.
///
/// Before each seventh one it removes all that is there.
///
/// `HTTPCacheWriter <path> <number of the first response> <capacity>`
@main
enum HTTPCacheWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let first = Int(arguments[2]), let capacity = Int64(arguments[3])
        else { exit(64) }
        let store = try SQLiteHTTPCacheStore(path: arguments[1], capacity: capacity)
        let subject = HTTPCacheStoreSubject(store)
        for number in first... {
            let key = HTTPCacheStoreSubject.key(number % 20)
            if number.isMultiple(of: 7) { try await store.removeAll() }
            let replaced = try await store.entries(for: key).map(\.id)
            // Some fit into one step, some need several.
            let body = HTTPCacheStoreSubject.bytes(number, count: [10, 100_000, 700_000][number % 3])
            try await subject.insert(number, body, for: key, replacing: replaced)
            try FileHandle.standardOutput.write(contentsOf: Data(".".utf8))
        }
    }
}
