import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import Foundation

/// Stores responses in a process of its own, one after the other, so that tests can kill it; a byte for each one stored.
///
/// `HTTPCacheWriter <path> <number of the first response>`
@main
enum HTTPCacheWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let first = Int(arguments[2]) else { exit(64) }
        let store = try SQLiteHTTPCacheStore(path: arguments[1], capacity: 8_000_000)
        let subject = HTTPCacheStoreSubject(store)
        for number in first... {
            let key = HTTPCacheStoreSubject.key(number % 20)
            let replaced = try await store.entries(for: key).map(\.id)
            // Some fit into one step, some need several.
            let body = HTTPCacheStoreSubject.bytes(number, count: [10, 100_000, 700_000][number % 3])
            try await subject.insert(number, body, for: key, replacing: replaced)
            try FileHandle.standardOutput.write(contentsOf: Data(".".utf8))
        }
    }
}
