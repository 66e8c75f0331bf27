import DuetAsyncHTTPClient
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Rounds
import Synchronization

/// The cost of a hit, of a validated response, and of a miss of the cache.
enum ClientRounds {
    /// Many short rounds, because the speed of the machine may change within a second.
    static let rounds = 201
    static let requests = 40

    /// Hits of the cache in memory, and responses that an origin without a network confirms, with a body of 1 kB.
    static func hits() async throws {
        let client = Confirming(body: Data(repeating: 120, count: 1_000)).caching()
        let request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/images/1?size=2")
        _ = try await client.data(for: request)
        @Sendable @concurrent
        func ask(_ request: HTTPRequest) async throws {
            for _ in 0..<requests {
                guard try await client.data(for: request).1.count == 1_000 else {
                    throw WrongResponse(what: "the body")
                }
            }
        }
        let results = try await Rounds(
            rounds,
            [
                Measured("hit") { try await ask(request) },
                Measured("validated") { try await ask(request.cacheControl(.reload)) },
            ]
        )
        guard client.statistics.misses == 1 else { throw WrongResponse(what: "\(client.statistics)") }
        func microseconds(_ name: String) -> Double { results[name] * 1_000 / Double(requests) }
        printFigure("hit in memory through the client, in us", microseconds("hit"), atMost: 12)
        printFigure("validated response through the client, in us", microseconds("validated"), atMost: nil)
    }

    /// Requests over one connection, each for a new path: with the cache, without one, and with a dictionary.
    static func misses(port: Int) async throws {
        try await withNIOHTTPClient { client in
            let count = Atomic(0)
            let cached = client.caching()
            let remembered = Remembering(base: client)
            @Sendable @concurrent
            func ask(_ client: any HTTPClient) async throws {
                for _ in 0..<requests {
                    let path = "/\(count.add(1, ordering: .relaxed).newValue)"
                    let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
                    guard try await client.data(for: request).1.count == Origin.size else {
                        throw WrongResponse(what: path)
                    }
                }
            }
            let results = try await Rounds(
                rounds,
                [
                    Measured("without") { try await ask(client) }, Measured("with") { try await ask(cached) },
                    Measured("hand-written") { try await ask(remembered) },
                ]
            )
            printFigure("miss / the same request without the cache", results["with"] / results["without"], atMost: 1.35)
            let least = results["hand-written"] / results["without"]
            printFigure("miss, a dictionary of shared tasks / without", least, atMost: nil)
            printFigure("miss through the client, in us", results["with"] * 1_000 / Double(requests), atMost: nil)
        }
    }
}

/// The smallest cache that shares requests and stores responses: no rules, no fields, no limits.
private final class Remembering: HTTPClient {
    private typealias Answer = (HTTPResponse, HTTPBody)

    private let base: any HTTPClient
    private let answers = Mutex<[HTTPRequest: Task<Answer, any Error>]>([:])

    init(base: any HTTPClient) {
        self.base = base
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let answer = answers.withLock { answers in
            let answer = answers[request] ?? Task { [base] in try await base.send(request, body: body) }
            answers[request] = answer
            return answer
        }
        return try await answer.value
    }
}

/// Responds with the same body, fresh for an hour, and confirms it to a client that has it.
private struct Confirming: HTTPClient {
    let body: Data

    func send(_ request: HTTPRequest, body _: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        guard !request.headerFields.contains(.ifNoneMatch) else {
            return (HTTPResponse(status: .notModified, headerFields: [.eTag: #""1""#]), HTTPBody(Data()))
        }
        let fields: HTTPFields = [
            .contentType: "application/json", .cacheControl: "max-age=3600", .eTag: #""1""#, .vary: "Accept",
            .contentLength: "\(body.count)",
        ]
        return (HTTPResponse(status: .ok, headerFields: fields), HTTPBody(body))
    }
}
