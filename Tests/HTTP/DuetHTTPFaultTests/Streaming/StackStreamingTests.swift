import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Bodies that pass all decorators of a client, with the cache in the middle.
@Suite(.timeLimit(.minutes(5)))
struct StackStreamingTests {
    private static let fields: [HTTPFields] = [[.cacheControl: "max-age=60"], [.cacheControl: "no-store"]]

    @Test(arguments: HTTPStreamingContract.allCases, fields)
    func `bodies pass a stack as they arrive`(clause: HTTPStreamingContract, fields: HTTPFields) async throws {
        try await clause.verify(fields: fields, stack)
    }

    @Test(arguments: HTTPStreamingContract.allCases, fields)
    func `bodies pass a cache as they arrive`(clause: HTTPStreamingContract, fields: HTTPFields) async throws {
        try await clause.verify(fields: fields) { $0.caching() }
    }

    private func stack(_ origin: any HTTPClient) -> any HTTPClient {
        let retries = HTTPRetryPolicy(backoff: .constant(.zero), budget: .unlimited)
        let clock = ManualClock()
        return
            origin
            .limiting(concurrency: 1)
            .logging(clock: clock) { _ in }
            .retrying(retries)
            .caching()
            .retrying(retries)
            .followingRedirects()
            .limiting(concurrency: 1)
            .limiting(bodySize: 1_000)
            .deadline(.seconds(30), clock: clock)
            .logging(clock: clock) { _ in }
    }
}
