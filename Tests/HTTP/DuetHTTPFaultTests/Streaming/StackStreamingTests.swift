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
    /// The fields of responses that are not stored, the second of an event stream.
    private static let fields: [HTTPFields] = [
        [.cacheControl: "no-store"], [.cacheControl: "max-age=60", .contentType: "text/event-stream"],
    ]

    @Test(arguments: HTTPStreamingContract.allCases, fields)
    func `bodies pass a stack as they arrive`(clause: HTTPStreamingContract, fields: HTTPFields) async throws {
        try await clause.verify(fields: fields, stack)
    }

    @Test(arguments: HTTPStreamingContract.allCases, fields)
    func `bodies pass a cache as they arrive`(clause: HTTPStreamingContract, fields: HTTPFields) async throws {
        try await clause.verify(fields: fields) { $0.caching() }
    }

    @Test(arguments: HTTPStreamingContract.allCases)
    func `bodies above the limit pass a cache as they arrive`(clause: HTTPStreamingContract) async throws {
        try await clause.verify(fields: [.cacheControl: "max-age=60"]) {
            $0.caching(configuration: CachingHTTPClient.Configuration(maximumBodySize: 1))
        }
    }

    @Test(arguments: [
        HTTPStreamingContract.`the first piece of a request is sent before the rest`,
        .`a collected body is complete`, .`collecting a body that breaks off fails`,
    ])
    func `bodies that are stored pass a stack whole`(clause: HTTPStreamingContract) async throws {
        try await clause.verify(fields: [.cacheControl: "max-age=60"], stack)
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
