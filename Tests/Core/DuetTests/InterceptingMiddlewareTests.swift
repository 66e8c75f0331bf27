import Duet
import Synchronization
import Testing

@Suite struct InterceptingMiddlewareTests {
    private struct GetNumbers: Query {
        typealias Value = [Int]
    }

    private struct GetText: Query {
        typealias Value = String
    }

    private struct Append: Command {
        let number: Int
    }

    private struct Full: Error {}

    private actor Numbers {
        private(set) var all = [1]
        private(set) var reads = 0
        private var cached: [Int]?

        func read() -> [Int] {
            reads += 1
            return all
        }

        func append(_ number: Int) throws {
            guard number < 10 else { throw Full() }
            all.append(number)
        }

        /// Used as middleware: its state needs no type erasure.
        func cache(_ query: GetNumbers, _ next: any Dispatcher) async throws -> [Int] {
            if let cached { return cached }
            let numbers = try await next.dispatch(query)
            cached = numbers
            return numbers
        }

        func clear() { cached = nil }
    }

    @MainActor private final class Spinner {
        private(set) var running = 0
        private(set) var most = 0

        func spin(_ query: GetNumbers, _ next: any Dispatcher) async throws -> [Int] {
            running += 1
            most = max(most, running)
            defer { running -= 1 }
            return try await next.dispatch(query)
        }
    }

    private struct Handling: QueryHandler {
        let numbers: Numbers
        func handle(_ query: GetNumbers) async throws -> [Int] { await numbers.read() }
    }

    private struct TextHandling: QueryHandler {
        func handle(_ query: GetText) async throws -> String { "text" }
    }

    private struct Appending: CommandHandler {
        let numbers: Numbers
        func handle(_ command: Append) async throws {
            if command.number == 0 { throw CancellationError() }
            try await numbers.append(command.number)
        }
    }

    private let numbers = Numbers()
    private let standard: any Dispatcher

    init() throws {
        standard = try StandardDispatcher { [numbers] in
            Handling(numbers: numbers)
            TextHandling()
            Appending(numbers: numbers)
        }
    }

    @Test func `messages of one type are intercepted, and all others are forwarded`() async throws {
        let dispatcher = standard.intercepting(GetNumbers.self) { query, next in
            try await next.dispatch(query).map { $0 * 2 }
        }
        #expect(try await dispatcher.dispatch(GetNumbers()) == [2])
        #expect(try await dispatcher.dispatch(GetText()) == "text")
        try await dispatcher.dispatch(Append(number: 2))
        #expect(try await dispatcher.dispatch(GetNumbers()) == [2, 4])
    }

    @Test func `an actor stores values until a command changes them`() async throws {
        let dispatcher =
            standard
            .after(Append.self) { [numbers] _, _ in await numbers.clear() }
            .intercepting(GetNumbers.self, numbers.cache)
        for _ in 1...3 { #expect(try await dispatcher.dispatch(GetNumbers()) == [1]) }
        #expect(await numbers.reads == 1)
        try await dispatcher.dispatch(Append(number: 2))
        #expect(try await dispatcher.dispatch(GetNumbers()) == [1, 2])
        #expect(await numbers.reads == 2)
    }

    @Test func `a main-actor class counts the running queries`() async throws {
        let spinner = Spinner()
        let dispatcher = standard.intercepting(GetNumbers.self, spinner.spin)
        _ = try await dispatcher.dispatch(GetNumbers())
        #expect(await spinner.most == 1)
        #expect(await spinner.running == 0)
    }

    @Test func `success, failure, and cancellation of a command are distinct`() async throws {
        let outcomes = Mutex<[String]>([])
        let dispatcher = standard.after(Append.self) { command, outcome in
            let text =
                switch outcome {
                case .success: "success"
                case .failure(let error): "failure \(error)"
                case .cancellation: "cancellation"
                }
            outcomes.withLock { $0.append("\(command.number) \(text)") }
        }
        try await dispatcher.dispatch(Append(number: 2))
        await #expect(throws: Full.self) { try await dispatcher.dispatch(Append(number: 10)) }
        await #expect(throws: CancellationError.self) { try await dispatcher.dispatch(Append(number: 0)) }
        _ = try await dispatcher.dispatch(GetNumbers())
        #expect(outcomes.withLock { $0 } == ["2 success", "10 failure Full()", "0 cancellation"])
    }

    @Test func `the value of a query is observed before its caller receives it`() async throws {
        let seen = Mutex<[Int]>([])
        let dispatcher = standard.after(GetNumbers.self) { _, outcome in
            if case .success(let numbers) = outcome { seen.withLock { $0 += numbers } }
        }
        #expect(try await dispatcher.dispatch(GetNumbers()) == [1])
        #expect(seen.withLock { $0 } == [1])
    }
}
