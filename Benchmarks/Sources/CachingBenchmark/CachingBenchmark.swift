import Duet
import DuetCaching
import Foundation
import Rounds
import Synchronization

/// The costs of a cached query: time compared with a dictionary and with no cache, with two threads, and memory.
@main
enum CachingBenchmark {
    /// Synchronous, because Valgrind cannot run a program with an asynchronous `main`.
    static func main() {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
                print(error)
                exit(1)
            }
            done.signal()
        }
        done.wait()
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.dropFirst().first.flatMap { Int($0) }) {
        case (nil, _):
            try await hits()
            try await threads()
            try await passingThrough()
        case ("memory", nil): try await memory()
        case ("hits", let rounds?): try await hits(rounds: rounds)
        default:
            print("usage: CachingBenchmark [memory | hits COUNT]    by default the times")
            exit(2)
        }
    }

    /// A number of rounds with a thousand hits each, to count allocations.
    private static func hits(rounds: Int) async throws {
        let dispatcher = try await filled()
        for _ in 0..<rounds {
            for key in 0..<keys { _ = try await dispatcher.dispatch(Twice(number: key)) }
        }
    }

    /// A cache that has the values of all keys.
    private static func filled(_ scope: CacheScope = .shared) async throws -> any Dispatcher {
        let dispatcher: any Dispatcher = try Doubling().caching(in: .memory(limit: .entries(keys * 2))) {
            Cache(Twice.self, .maxAge(.hours(1)), scope: scope)
        }
        for key in 0..<keys { _ = try await dispatcher.dispatch(Twice(number: key)) }
        return dispatcher
    }

    private static let count = 20_000
    private static let keys = 1_000

    // MARK: Hits

    private static func hits() async throws {
        let dispatcher = try await filled()
        guard let cache = (dispatcher as? CachingDispatcher)?.cache else { throw WrongValue(key: 0) }
        // A value for each principal, as without `scope`.
        let ada = Principal(id: "ada", scopes: ["notes:write"])
        let personal = try await withPrincipal(ada) { try await filled(.principal) }
        let dictionary = LockedDictionary()
        // Locked once per round.
        let foundation = Mutex(FoundationCache())
        for key in 0..<keys {
            dictionary[Twice(number: key)] = 2 * key
            foundation.withLock { $0[key] = 2 * key }
        }
        let rounds = try await Rounds(
            51,
            [
                Measured("dispatcher") { try await dispatch(to: dispatcher) },
                Measured("principal") { try await withPrincipal(ada) { try await dispatch(to: personal) } },
                Measured("cache") { look(in: cache) },
                Measured("dictionary") { look(in: dictionary) },
                Measured("NSCache") { foundation.withLock { look(in: $0) } },
            ]
        )
        let names = ["dispatcher", "principal", "cache", "dictionary", "NSCache"]
        let times = Dictionary(uniqueKeysWithValues: names.map { ($0, rounds[$0] * 1e6 / Double(count)) })
        print("A hit, ns")
        for name in names { print("    \(name.padded(to: 12)) \((times[name] ?? .nan).text(1))") }
        let (hit, store) = (times["dispatcher"] ?? .nan, times["cache"] ?? .nan)
        let (lookup, system) = (times["dictionary"] ?? .nan, times["NSCache"] ?? .nan)
        printFigure("a hit through any Dispatcher / a Dictionary behind a Mutex", hit / lookup, atMost: 5)
        printFigure("a hit with a principal / one without", (times["principal"] ?? .nan) / hit, atMost: 2)
        printFigure("hits through any Dispatcher / hits of NSCache, per second", system / hit, atLeast: 1.5)
        printFigure("hits of the cache alone / hits of NSCache, per second", system / store, atLeast: 4)
    }

    @inline(never)
    private static func dispatch(to dispatcher: any Dispatcher, from first: Int = 0) async throws {
        var key = first
        for _ in 0..<count {
            let value = try await dispatcher.dispatch(Twice(number: key))
            guard value == 2 * key else { throw WrongValue(key: key) }
            key = key + 1 == keys ? 0 : key + 1
        }
    }

    @inline(never)
    private static func look(in dictionary: LockedDictionary) {
        var key = 0
        for _ in 0..<count {
            precondition(dictionary[Twice(number: key)] == 2 * key)
            key = key + 1 == keys ? 0 : key + 1
        }
    }

    @inline(never)
    private static func look(in cache: QueryCache) {
        var key = 0
        for _ in 0..<count {
            precondition(cache.peek(Twice(number: key)) == 2 * key)
            key = key + 1 == keys ? 0 : key + 1
        }
    }

    @inline(never)
    private static func look(in cache: FoundationCache) {
        var key = 0
        for _ in 0..<count {
            precondition(cache[key] == 2 * key)
            key = key + 1 == keys ? 0 : key + 1
        }
    }

    // MARK: Threads

    private static func threads() async throws {
        let dispatcher = try await filled()
        let rounds = try await Rounds(
            51,
            [1, 2].map { tasks in
                Measured("\(tasks)") {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for task in 0..<tasks {
                            group.addTask {
                                for _ in 0..<5 { try await dispatch(to: dispatcher, from: task * keys / 2) }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        )
        let rate = 2 * rounds["1"] / rounds["2"]
        print("Hits of two tasks / of one, per second: \(rate.text())")
        printFigure("hits of two tasks / of one, per second", rate, atLeast: 0.9)
    }

    // MARK: Without a rule

    private static func passingThrough() async throws {
        let cached: any Dispatcher = try Doubling().caching(in: .memory(limit: .entries(10))) {
            Cache(Other.self, .maxAge(.hours(1)))
        }
        let layered = Doubling().with(PassThrough())
        let rounds = try await Rounds(
            101,
            [
                Measured("cached") { try await dispatch(to: cached) },
                Measured("layered") { try await dispatch(to: layered) },
            ]
        )
        let ratio = rounds["cached"] / rounds["layered"]
        print("A query without a rule: \((rounds["cached"] * 1e6 / Double(count)).text(1)) ns")
        printFigure("a query without a rule / an inlined layer that does nothing", ratio, atMost: 1.25)
    }

    // MARK: Memory

    /// The memory of a million entries beyond their keys and values, after the same number was evicted.
    private static func memory() async throws {
        let capacity = 1_000_000
        let dispatcher: any Dispatcher = try Doubling().caching(in: .memory(limit: .entries(capacity))) {
            Cache(Twice.self, .maxAge(.hours(1)), scope: .shared)
        }
        let before = residentBytes()
        for key in 0..<capacity * 5 / 2 { _ = try await dispatcher.dispatch(Twice(number: key)) }
        let bytes = Double(residentBytes() - before) / Double(capacity)
        // The key and the value are an integer each.
        printFigure("memory per entry beyond key and value, of a million: bytes", bytes - 16, atMost: 160)
        _ = try await dispatcher.dispatch(Twice(number: 0))
    }

    private static func residentBytes() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = status.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4_096
    }
}

struct WrongValue: Error {
    let key: Int
}
