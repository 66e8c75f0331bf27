import Dispatch
import Duet
import DuetCaching
import DuetHTTP
import HTTPTypes
import Synchronization

// The calls that `Benchmarks/instructions.sh` counts beside those of DispatchBenchmark:
// InstructionsBenchmark hits COUNT, or requests COUNT.

/// The sum of a number and the handler's.
struct Sum: HTTPQuery, Hashable {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("sums")
    var number = 0
}

struct SumHandler: QueryHandler {
    func handle(_ query: Sum) async throws -> Int { query.number &+ 1 }
}

/// Hits of a thousand keys of the query cache.
func hits(_ count: Int) async throws {
    let cached: any Dispatcher = try StandardDispatcher { SumHandler() }.caching(in: .memory(limit: .entries(2_000))) {
        Cache(Sum.self, .maxAge(.hours(1)), scope: .shared)
    }
    for number in 0..<1_000 + count { _ = try await cached.dispatch(Sum(number: number % 1_000)) }
}

/// Requests for a message, from the head of the request to the response's body.
func requests(_ count: Int) async throws {
    let sums = MessageAPI("sums") { Sum.self }
    let service = try HTTPService(sums, try StandardDispatcher { SumHandler() }) { print($0) }
    let request = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/sums?number=7")
    for _ in 0..<count {
        let (response, _) = await service.respond(to: request)
        guard response.status == .ok else { throw UnexpectedStatus(status: response.status) }
    }
}

struct UnexpectedStatus: Error {
    let status: HTTPResponse.Status
}

func run(_ arguments: [String]) async throws {
    switch (arguments.first, arguments.last.flatMap { Int($0) }) {
    case ("hits", let count?): try await hits(count)
    case ("requests", let count?): try await requests(count)
    default: print("usage: InstructionsBenchmark hits COUNT | requests COUNT")
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
