import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of commands that are answered with the value of a query, on a cluster.
@Suite(.timeLimit(.minutes(5))) struct ClusterAnswerTests {
    private struct LoadOrder: PayloadQuery, Hashable {
        typealias Value = String
        let id: Int
    }

    /// Only the handler knows the identifier.
    private struct PlaceOrder: AnsweredCommand, Codable {
        let text: String
        func answer(from content: String?) -> LoadOrder? { nil }
    }

    /// The command itself tells the identifier.
    private struct ChangeOrder: AnsweredCommand, Codable {
        let id: Int
        let text: String
        func answer(from content: String?) -> LoadOrder? { LoadOrder(id: id) }
    }

    private final class Orders: Sendable {
        let texts = Mutex<[Int: String]>([:])
        let handled = Mutex<[String]>([])
    }

    private struct PlaceOrderHandler: AnsweringHandler {
        let orders: Orders
        func handle(_ command: PlaceOrder) async throws -> LoadOrder {
            orders.handled.withLock { $0.append(command.text) }
            return orders.texts.withLock { texts in
                let id = texts.count + 1
                texts[id] = command.text
                return LoadOrder(id: id)
            }
        }
    }

    private struct ChangeOrderHandler: CommandHandler {
        let orders: Orders
        func handle(_ command: ChangeOrder) async throws { orders.texts.withLock { $0[command.id] = command.text } }
    }

    private struct LoadOrderHandler: QueryHandler {
        let orders: Orders
        func handle(_ query: LoadOrder) async throws -> String { orders.texts.withLock { $0[query.id] ?? "none" } }
    }

    private static let messages = MessageAPI("orders") {
        PlaceOrder.authorized(.open)
        ChangeOrder.authorized(.open).ordered(by: \.id)
        LoadOrder.authorized(.open)
    }

    private let orders = Orders()
    private let cluster = InProcessCluster()

    private func sender(_ clock: any Clock<Duration> = ContinuousClock()) throws -> ClusterDispatcher {
        try ClusterDispatcher(Self.messages, on: cluster.node(), options: .test, clock: clock)
    }

    private func withWorker(
        _ messages: MessageAPI = messages,
        on engine: (any ClusterEngine)? = nil,
        _ body: () async throws -> Void
    ) async throws {
        let dispatcher = try StandardDispatcher {
            PlaceOrderHandler(orders: orders)
            ChangeOrderHandler(orders: orders)
            LoadOrderHandler(orders: orders)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = try ClusterWorker(messages, dispatcher, on: engine ?? cluster.node(), options: .test)
            group.addTask { try await worker.run() }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a command is answered by the query that its handler or the command itself names`() async throws {
        try await withWorker {
            let remote = try sender()
            try await #expect(remote.answer(to: PlaceOrder(text: "tea")) == "tea")
            try await #expect(remote.answer(to: ChangeOrder(id: 1, text: "milk")) == "milk")
            try await remote.dispatch(PlaceOrder(text: "bread"))
            try await #expect(remote.dispatch(LoadOrder(id: 2)) == "bread")
        }
    }

    @Test func `the answer of an accepted command is asked for after it was handled, if its query is known`()
        async throws
    {
        let remote = try sender().accepting
        let answer = Task { try await remote.answer(to: ChangeOrder(id: 7, text: "milk")) }
        let unknown = Task { try await remote.answer(to: PlaceOrder(text: "tea")) }
        try await withWorker {
            try await #expect(answer.value == "milk")
            await #expect(throws: AnswerUnavailable.self) { try await unknown.value }
        }
    }

    @Test func `the outcome has the query and not the value, and a repeat gets it`() async throws {
        try await withWorker {
            for _ in 1...2 {
                let remote = try sender()
                try await withIdempotencyKey("order 1") {
                    try await #expect(remote.answer(to: PlaceOrder(text: "secret")) == "secret")
                }
            }
            #expect(orders.handled.withLock(\.self) == ["secret"])
            let id = commandIdentity(PlaceOrder.messageName, nil, "order 1")
            let position = try await cluster.commands.append(
                LoggedCommand(id: id, key: id, message: PlaceOrder.messageName, envelope: Envelope())
            ).position
            let kept = try await cluster.commands.outcome(of: id, at: position)
            #expect(kept.map { String(decoding: $0.body, as: UTF8.self) } == #"{"id":1}"#)
        }
    }

    @Test func `a lost reply loses no answer`() async throws {
        var engine = CustomEngine(cluster.node())
        engine.queries = SilentQueries(base: engine.queries)
        let clock = ManualClock()
        try await withWorker(on: engine) {
            let remote = try sender(clock)
            let answer = Task { try await remote.answer(to: PlaceOrder(text: "tea")) }
            let time = Task {
                while !Task.isCancelled {
                    await clock.nextSleeper()
                    clock.advance(by: .seconds(1))
                }
            }
            try await #expect(answer.value == "tea")
            time.cancel()
            clock.advance(by: .seconds(7_200))
        }
        #expect(orders.handled.withLock(\.self) == ["tea"])
    }

    @Test func `the query has its own rule on its node`() async throws {
        let closed = MessageAPI("orders") {
            PlaceOrder.authorized(.open)
            ChangeOrder.authorized(.open)
            LoadOrder.authorized(.principal)
        }
        try await withWorker(closed) {
            let remote = try sender()
            let error = await #expect(throws: AnswerUnavailable.self) {
                try await remote.answer(to: ChangeOrder(id: 1, text: "milk"))
            }
            #expect(error?.reason is AuthorizationError)
            try await withPrincipal(Principal(id: "ada")) {
                try await #expect(remote.answer(to: ChangeOrder(id: 1, text: "tea")) == "tea")
            }
        }
    }

    @Test func `a cache in front of a sender loads the answer once, and not without a reader`() async throws {
        try await withWorker {
            let cached = try sender().caching(in: .memory(limit: .entries(10))) {
                Cache(LoadOrder.self, .maxAge(.minutes(5)))
            }
            try await #expect(cached.dispatch(LoadOrder(id: 1)) == "none")
            try await cached.dispatch(ChangeOrder(id: 1, text: "tea"))
            #expect(cached.cache.peek(LoadOrder(id: 1)) == nil)
            try await #expect(cached.answer(to: ChangeOrder(id: 1, text: "milk")) == "milk")
            #expect(cached.cache.peek(LoadOrder(id: 1)) == "milk")
        }
    }
}

/// A transport whose questions do not arrive.
private struct SilentQueries: QueryTransport {
    let base: any QueryTransport

    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope { Envelope() }

    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration { try await base.serve(route, limit: limit, handler) }
}
