import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import NIOHTTP2
import Synchronization
import Testing

/// Servers that end an HTTP/2 connection or a stream while requests are under way.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2EndTests {
    /// The kinds of requests that a retry distinguishes.
    enum Kind: CaseIterable {
        case query
        case keyedCommand
        case command

        var isRepeatable: Bool { self != .command }

        func request(_ port: Int) -> HTTPRequest {
            HTTPRequest(
                method: self == .query ? .get : .post,
                scheme: "https",
                authority: "localhost:\(port)",
                path: "/\(self)",
                headerFields: self == .keyedCommand ? [.idempotencyKey: "1"] : [:]
            )
        }
    }

    /// The ways in which a server ends a stream without a complete response.
    enum End: CaseIterable {
        case goAwayBeforeStream
        case goAwayBeforeStreamAndClose
        case refusedStream
        case goAwayAfterStreamAndClose
        case goAwayAfterStreamAndCanceled
        case close
        case canceledStream
        case refusedStreamAfterHead
        case goAwayAfterHead

        /// Whether the server says that it has not processed the request.
        var isUnsent: Bool {
            switch self {
            case .goAwayBeforeStream, .goAwayBeforeStreamAndClose, .refusedStream: true
            default: false
            }
        }

        func steps(_ stream: Int) -> [HTTP2Script.Step] {
            switch self {
            case .goAwayBeforeStream: [.goAway(last: 0)]
            case .goAwayBeforeStreamAndClose: [.goAway(last: 0), .close]
            case .refusedStream: [.reset(stream, .refusedStream)]
            case .goAwayAfterStreamAndClose: [.goAway(last: stream), .close]
            case .goAwayAfterStreamAndCanceled: [.goAway(last: stream), .reset(stream, .cancel)]
            case .close: [.close]
            case .canceledStream: [.reset(stream, .cancel)]
            case .refusedStreamAfterHead: [.head("200", of: stream, isEnd: false), .reset(stream, .refusedStream)]
            case .goAwayAfterHead: [.head("200", of: stream, isEnd: false), .goAway(last: 0)]
            }
        }
    }

    @Test(arguments: End.allCases, Kind.allCases)
    func `a request that was not processed is repeated whatever it is, and another only if that does no harm`(
        end: End,
        kind: Kind
    ) async throws {
        try await withServer { request in
            request.number == 1 ? end.steps(request.stream) : [.head("200", of: request.stream)]
        } test: { client, port, log in
            let isRepeated = end.isUnsent || kind.isRepeatable
            let retrying = client.retrying(Self.atOnce)
            if isRepeated {
                let status = try await retrying.data(for: kind.request(port)).0.status
                #expect(status == .ok)
            } else {
                try await expect(.connectionFailed) { try await retrying.data(for: kind.request(port)) }
            }
            #expect(log.entry.requests.count == (isRepeated ? 2 : 1))
        }
    }

    @Test(arguments: [1, 3, 4], Kind.allCases)
    func `the client itself repeats a request that was not processed, three times`(count: Int, kind: Kind) async throws
    {
        try await withServer { request in
            let end = End.goAwayBeforeStreamAndClose
            return request.number <= count ? end.steps(request.stream) : [.head("200", of: request.stream)]
        } test: { client, port, log in
            if count <= 3 {
                #expect(try await client.data(for: kind.request(port)).0.status == .ok)
            } else {
                try await expect(.connectionFailed) { try await client.data(for: kind.request(port)) }
            }
            #expect(log.entry.requests.count == min(count, 3) + 1)
        }
    }

    @Test(arguments: End.allCases)
    func `the error says whether the request was processed`(end: End) async throws {
        try await withServer { request in
            end.steps(request.stream)
        } test: { client, port, _ in
            let error = try await expect(.connectionFailed) { try await client.data(for: Kind.command.request(port)) }
            #expect(error.isUnsent == end.isUnsent)
            #expect("\(error)".hasSuffix("process the request. Send the request again.") == end.isUnsent, "\(error)")
        }
    }

    @Test func `a stream up to the last one gets its response, and only later ones are repeated`() async throws {
        try await withServer { request in
            switch request.number {
            case 1: []
            case 2: [.goAway(last: 1), .head("201", of: 1)]
            default: [.head("202", of: request.stream)]
            }
        } test: { client, port, log in
            let retrying = client.retrying(Self.atOnce)
            let first = Task { try await retrying.data(for: Kind.command.request(port)).0.status }
            await log.until { $0.requests.count == 1 }
            let second = try await retrying.data(for: Kind.command.request(port)).0.status
            let statuses = [try await first.value, second]
            #expect(statuses == [.created, .accepted])
            #expect(log.entry.accepted == 2)
        }
    }

    @Test func `each command is done once by a server that replaces its connections all the time`() async throws {
        let done = Mutex(0)
        try await withServer { request in
            // The server ignores the streams after the last one.
            guard request.stream <= 19 else { return [] }
            done.withLock { $0 += 1 }
            return (request.stream == 19 ? [.goAway(last: 19)] : []) + [.head("200", of: request.stream)]
        } test: { client, port, _ in
            let retrying = client.retrying(Self.atOnce)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        for _ in 0..<10 { _ = try await retrying.data(for: Kind.command.request(port)) }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(done.withLock { $0 } == 160)
    }

    private static let atOnce = HTTPRetryPolicy(maximumAttempts: 100, backoff: .constant(.zero), budget: .unlimited)

    /// Runs a test with a server that performs a script, and a client that trusts it.
    private func withServer(
        _ script: @escaping @Sendable (HTTP2Script.Request) -> [HTTP2Script.Step],
        test: (ProbedClient, _ port: Int, ServerLog) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority.untrusted()
        try await HTTP2Script.run(signedBy: authority, script: script) { port, log in
            try await Adapter.asyncHTTPClient.withClient(trusting: authority.pem) { client in
                try await test(client, port, log)
            }
        }
    }
}
