import DuetContracts
import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import Testing

/// Caches on a full disk, in a process whose files the system does not let grow.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SQLiteHTTPCacheFullDiskTests {
    @Test(arguments: [0, 50_000, 500_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 6_000_000])
    func `requests continue, the failure is reported once, and with room the cache stores again`(limit: Int)
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        let process = try ReportingProcess("HTTPCacheWriter", ["full", path, "\(limit)"])
        #expect(try process.wait(forSteps: 1), "it did not continue: it says above why")
        #expect(try process.wait(forSteps: 1), "it did not work again: it says above why")
        try process.finish()

        let database = try DatabaseQueue.other(at: path)
        #expect(try await database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        let client = Unreachable().caching(in: try await SQLiteHTTPCacheStore(path: path) { Issue.record("\($0)") })
        var found: [Int] = []
        for number in 0..<60 {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "store.invalid", path: "/\(number)")
            guard let (_, body) = try? await client.data(for: request) else { continue }
            #expect(body == HTTPCacheStoreSubject.bytes(number, count: [10, 100_000, 700_000][number % 3]))
            found.append(number)
        }
        #expect(found.suffix(10) == Array(50..<60))
        #expect(found.prefix(3) == [0, 1, 2])
    }

    @Test func `a cache that cannot be cleared is not used until it is`() throws {
        let directory = try TemporaryDirectory()
        let process = try ReportingProcess("HTTPCacheWriter", ["clear", directory.path("cache.sqlite")])
        #expect(try process.wait(forSteps: 1), "it did not continue: it says above why")
        #expect(try process.wait(forSteps: 1), "it did not work again: it says above why")
        try process.finish()
    }
}

/// Fails every request.
private struct Unreachable: HTTPClient {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw HTTPClientError.connectionFailed(url: "", underlying: POSIXError(.ECONNREFUSED))
    }
}
