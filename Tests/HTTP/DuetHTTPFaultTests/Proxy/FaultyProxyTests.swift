import Duet
import DuetAsyncHTTPClient
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import ServiceContextModule
import TestSupport
import Testing

/// Behind a proxy that fails three of ten requests, safe requests succeed after retries, and no other request is
/// repeated.
// Thousands of connections, one after the other.
@Suite(.timeLimit(.minutes(3)))
struct FaultyProxyTests {
    private let seed = UInt64.random(in: 0...UInt64.max)
    private let ledger = Ledger()

    @Test
    func `every query with 25 attempts and no budget succeeds with a whole response`() async throws {
        let fates = Fates(seed: seed)
        try await run(fates, Self.patient) { api in
            let outcomes = await each(1...300) {
                try await api.dispatch(ReadNote(id: $0)) == ReadNoteHandler().handle(ReadNote(id: $0))
            }
            for (id, outcome) in outcomes {
                #expect((try? outcome.get()) == true, "note \(id): \(outcome), seed \(seed)")
            }
        }
        for fate in Fate.allCases { #expect(fates.counts[fate, default: 0] > 0, "\(fate), seed \(seed)") }
        #expect(fates.counts.values.reduce(0, +) > 350, "seed \(seed)")
    }

    /// The default budget, a fifth of the requests, is used up before three attempts.
    @Test(arguments: [(true, 80...88), (false, 95...99)])
    func `with the default retries 84 of 100 queries succeed, and 97 without a budget`(
        hasBudget: Bool,
        percentage: ClosedRange<Int>
    ) async throws {
        let seed: UInt64 = 1
        let policy =
            hasBudget
            ? HTTPRetryPolicy(backoff: .constant(.zero))
            : HTTPRetryPolicy(backoff: .constant(.zero), budget: .unlimited)
        // On separate connections and one after the other, so that each attempt gets the next fate. A connection that
        // is refused before it was used has no attempt: the client opens another one.
        func fates() -> Fates { Fates(seed: seed, faults: [.closesBefore, .closesAfter, .cuts, .declines]) }
        let count = 200
        let answered = try await run(fates(), policy, headers: [.connection: "close"]) { api in
            var answered = 0
            for id in 1...count where await (try? api.dispatch(ReadNote(id: id))) != nil { answered += 1 }
            return answered
        }
        #expect(answered == Self.answered(hasBudget: hasBudget, of: count, fates()))
        #expect(percentage.contains(answered * 100 / count), "\(answered) of \(count)")
    }

    @Test
    func `no command that must not be repeated is done twice, and one that succeeded was done`() async throws {
        let fates = Fates(seed: seed)
        let outcomes = try await run(fates, Self.patient) { api in
            await each(1...200) { try await api.dispatch(AddNote(id: $0)) }
        }
        var lost = 0
        for (id, outcome) in outcomes {
            let count = ledger.count(AddNote(id: id))
            switch outcome {
            case .success: #expect(count == 1, "note \(id), seed \(seed)")
            case .failure:
                #expect(count <= 1, "note \(id), seed \(seed)")
                lost += count
            }
        }
        // The responses to these were lost: a retry would do them twice.
        #expect(lost > 0, "seed \(seed)")
        #expect(outcomes.contains { (try? $0.outcome.get()) == nil }, "seed \(seed)")
    }

    @Test
    func `every command that may be repeated succeeds`() async throws {
        let fates = Fates(seed: seed)
        let puts = try await run(fates, Self.patient) { api in
            await each(1...100) { try await api.dispatch(PutNote(id: $0)) }
        }
        let removals = try await run(fates, Self.patient) { api in
            await each(1...100) { try await api.dispatch(RemoveNote(id: $0)) }
        }
        for (id, outcome) in puts + removals {
            #expect(throws: Never.self, "note \(id), seed \(seed)") { try outcome.get() }
        }
        let counts = (1...100).flatMap { [ledger.count(PutNote(id: $0)), ledger.count(RemoveNote(id: $0))] }
        #expect(counts.allSatisfy { $0 >= 1 }, "seed \(seed)")
        #expect(counts.contains { $0 > 1 }, "seed \(seed)")
    }

    /// The counterpart of the test of commands, with retries: the proxy does lose responses.
    @Test
    func `a command with an idempotency key is sent again, though a server that keeps no keys does it twice`()
        async throws
    {
        let fates = Fates(seed: seed)
        let outcomes = try await run(fates, Self.patient) { api in
            await each(1...200) { id in
                var context = ServiceContext.topLevel
                context.idempotencyKey = "note-\(id)"
                try await ServiceContext.withValue(context) { try await api.dispatch(AddNote(id: id)) }
            }
        }
        for (id, outcome) in outcomes {
            #expect(throws: Never.self, "note \(id), seed \(seed)") { try outcome.get() }
        }
        #expect(outcomes.contains { ledger.count(AddNote(id: $0.id)) > 1 }, "seed \(seed)")
    }

    // MARK: Support

    /// Retries until success: 25 failures in a row have a probability of one in ten to the thirteenth.
    private static let patient = HTTPRetryPolicy(
        maximumAttempts: 25,
        backoff: .constant(.zero),
        budget: .unlimited
    )

    /// The computed number of queries that succeed with three attempts when each attempt gets the next fate.
    private static func answered(hasBudget: Bool, of queries: Int, _ fates: Fates) -> Int {
        // In fifths of a retry; each query adds one.
        var budget = 50
        var answered = 0
        for _ in 0..<queries {
            budget = min(50, budget + 1)
            for attempt in 1...3 {
                if fates.next() == .passes {
                    answered += 1
                    break
                }
                guard attempt < 3, budget >= 5 || !hasBudget else { break }
                budget -= 5
            }
        }
        return answered
    }

    /// Runs `body` with a dispatcher whose requests go through a proxy to a new server.
    private func run<Value: Sendable>(
        _ fates: Fates,
        _ policy: HTTPRetryPolicy,
        headers: HTTPFields = [:],
        body: (HTTPDispatcher) async throws -> Value
    ) async throws -> Value {
        let settings = HTTPSettings(headers: headers)
        let messages = MessageAPI("notes", authorized: .open) {
            ReadNote.self
            AddNote.self
            PutNote.self
            RemoveNote.self
        }
        let dispatcher = try StandardDispatcher {
            ReadNoteHandler()
            NotingHandler(AddNote.self, ledger)
            NotingHandler(PutNote.self, ledger)
            NotingHandler(RemoveNote.self, ledger)
        }
        let router = Router()
        try router.mount(messages, dispatcher, options: MountOptions(settings: settings))
        return try await withServer(router.buildResponder()) { server in
            try await FaultyProxy.run(before: server, fates) { port in
                let client = NIOHTTPClient(clock: ManualClock())
                let url = try BaseURL(#require(URL(string: "http://127.0.0.1:\(port)")))
                let retrying = client.retrying(policy)
                let value = try await body(
                    HTTPDispatcher(messages, baseURL: url, client: retrying, settings: settings)
                )
                try await client.shutdown()
                return value
            }
        }
    }

    /// Runs an operation for each number, eight at a time, and returns the results.
    private func each<Value: Sendable>(
        _ ids: ClosedRange<Int>,
        _ work: @escaping @Sendable @concurrent (_ id: Int) async throws -> Value
    ) async -> [(id: Int, outcome: Result<Value, any Error>)] {
        await withTaskGroup(of: (id: Int, outcome: Result<Value, any Error>).self) { group in
            var outcomes: [(id: Int, outcome: Result<Value, any Error>)] = []
            for (index, id) in ids.enumerated() {
                if index >= 8, let outcome = await group.next() { outcomes.append(outcome) }
                group.addTask {
                    do { return (id, .success(try await work(id))) } catch { return (id, .failure(error)) }
                }
            }
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }
}
