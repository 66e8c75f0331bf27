import Dispatch
import Duet
import DuetCaching
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

// The calls that `Benchmarks/instructions.sh` counts beside those of DispatchBenchmark:
// InstructionsBenchmark hits COUNT, and query, command, answer or sent COUNT.

/// The sum of a number and the handler's.
struct Sum: HTTPQuery, Hashable {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("sums")
    var number = 0
}

struct SumHandler: QueryHandler {
    func handle(_ query: Sum) async throws -> Int { query.number &+ 1 }
}

/// Adds to nothing.
struct Add: HTTPCommand {
    static let route: CommandRoute<Self> = .post("sums")
    let number: Int
}

/// The same command, which responds with a sum.
struct AddAndSum: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("answers")
    let number: Int
    func answer(from _: Int?) -> Sum? { Sum(number: number) }
}

struct AddHandler: CommandHandler {
    func handle(_ command: Add) async throws {}
}

struct AddAndSumHandler: CommandHandler {
    func handle(_ command: AddAndSum) async throws {}
}

/// Hits of a thousand keys of the query cache.
func hits(_ count: Int) async throws {
    let cached: any Dispatcher = try StandardDispatcher { SumHandler() }.caching(in: .memory(limit: .entries(2_000))) {
        Cache(Sum.self, .maxAge(.hours(1)), scope: .shared)
    }
    for number in 0..<1_000 + count { _ = try await cached.dispatch(Sum(number: number % 1_000)) }
}

/// Requests for a message, from the head of the request to the response's body.
func requests(
    _ count: Int,
    _ messages: MessageAPI,
    _ method: HTTPRequest.Method,
    _ path: String,
    _ status: HTTPResponse.Status
) async throws {
    let dispatcher = try StandardDispatcher {
        SumHandler()
        AddHandler()
        AddAndSumHandler()
    }
    let service = try HTTPService(messages, dispatcher) { print($0) }
    var request = HTTPRequest(method: method, scheme: "https", authority: "localhost", path: path)
    let body = method == .post ? Data(#"{"number":7}"#.utf8) : nil
    if body != nil { request.headerFields[.contentType] = "application/json" }
    for _ in 0..<count {
        let (response, _) = await service.respond(to: request, body: body.map { HTTPBody($0) })
        guard response.status == status else { throw UnexpectedStatus(status: response.status) }
    }
}

/// Commands to a server that responds at once.
func sent(_ count: Int) async throws {
    struct Server: HTTPClient {
        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            (HTTPResponse(status: .noContent), HTTPBody(Data()))
        }
    }
    let dispatcher = HTTPDispatcher(baseURL: try BaseURL("https://localhost"), client: Server())
    for number in 0..<count { try await dispatcher.dispatch(Add(number: number % 10)) }
}

struct UnexpectedStatus: Error {
    let status: HTTPResponse.Status
}

func run(_ arguments: [String]) async throws {
    switch (arguments.first, arguments.last.flatMap { Int($0) }) {
    case ("hits", let count?): try await hits(count)
    case ("query", let count?):
        try await requests(count, MessageAPI("sums") { Sum.self }, .get, "/sums?number=7", .ok)
    case ("command", let count?):
        try await requests(count, MessageAPI("sums") { Add.authorized(.open) }, .post, "/sums", .noContent)
    case ("answer", let count?):
        let messages = MessageAPI("sums") {
            Sum.self
            AddAndSum.authorized(.open)
        }
        try await requests(count, messages, .post, "/answers", .ok)
    case ("sent", let count?): try await sent(count)
    default: print("usage: InstructionsBenchmark hits | query | command | answer | sent COUNT")
    }
}

// A synchronous main, because an asynchronous one crashes Valgrind 3.19.
let done = DispatchSemaphore(value: 0)
let failure = Mutex<(any Error)?>(nil)
Task.detached {
    do { try await run(Array(CommandLine.arguments.dropFirst())) } catch { failure.withLock { $0 = error } }
    done.signal()
}
done.wait()
if let error = failure.withLock({ $0 }) { throw error }
