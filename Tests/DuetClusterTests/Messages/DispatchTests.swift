import Duet
import DuetCluster
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct DispatchTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    /// Runs workers, each on its node, while `body` runs.
    private func withWorkers(
        _ count: Int = 1,
        _ options: ClusterOptions = .test,
        _ body: (ClusterDispatcher) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...count {
                let worker = cluster.node().worker(try shop.dispatcher(), options: options) { Shop.messages }
                group.addTask { try await worker.run() }
            }
            let remote = cluster.dispatcher(options) {
                Shop.messages
                CloseShop.self
            }
            try await body(remote)
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a query is answered by a node`() async throws {
        try await withWorkers { remote in
            try await remote.dispatch(AddStock(item: "tea", count: 3))
            #expect(try await remote.dispatch(LoadStock(item: "tea")) == 3)
        }
    }

    @Test func `a query waits until a node serves it`() async throws {
        let remote = cluster.dispatcher(.test) { Shop.messages }
        let stock = Task { try await remote.dispatch(LoadStock(item: "tea")) }
        try await withWorkers { _ in
            let stock = try await stock.value
            #expect(stock == 0)
        }
    }

    @Test func `a query that no node serves fails at its deadline`() async throws {
        let remote = cluster.dispatcher(.test) { Shop.messages }
        await #expect(throws: TransportError.noNode(route: LoadStock.messageName)) {
            try await withDeadline(in: .milliseconds(100)) { try await remote.dispatch(LoadStock(item: "tea")) }
        }
    }

    @Test func `declared errors arrive typed, and others without details`() async throws {
        try await withWorkers { remote in
            await #expect(throws: NegativeStock(item: "tea")) {
                try await remote.dispatch(AddStock(item: "tea", count: -1))
            }
            let error = await #expect(throws: ClusterError.self) {
                try await remote.dispatch(LoadStock(item: "missing"))
            }
            #expect(error?.description.hasSuffix("its handler threw DuetClusterTests.NegativeStock.") == true)
        }
    }

    @Test func `the principal and the deadline travel with a message`() async throws {
        try await withWorkers { remote in
            let caller = try await withPrincipal(Principal(id: "Zoë\n\"1\"", scopes: ["read", "a b"])) {
                try await remote.dispatch(LoadCaller())
            }
            #expect(caller == ["Zoë\n\"1\"", "a b", "read", "in time"])
            #expect(try await remote.dispatch(LoadCaller()).first == "nobody")
        }
    }

    @Test func `canceling the sender cancels the handler`() async throws {
        try await withWorkers { remote in
            let query = Task { try await remote.dispatch(LoadStock(item: "slow")) }
            await shop.gate.arrivals(1)
            query.cancel()
            await #expect(throws: CancellationError.self) { try await query.value }
            try await shop.canceled.pass()
        }
    }

    @Test func `commands of one key are handled in order, also after failures`() async throws {
        shop.state.withLock { $0.failures = [ShelfFull(), ShelfFull(), ShelfFull()] }
        try await withWorkers(3) { remote in
            for count in 1...10 { try await remote.accepting.dispatch(AddStock(item: "tea", count: count)) }
            try await remote.dispatch(AddStock(item: "tea", count: 11))
        }
        #expect(shop.handled.map { $0.split(separator: " ")[1] } == (1...11).map { "\($0)" })
    }

    @Test func `the identifier of a command is its idempotency key, and a repeat is not handled again`() async throws {
        try await withWorkers { remote in
            for _ in 1...2 {
                try await withIdempotencyKey("order 7") {
                    try await remote.accepting.dispatch(AddStock(item: "tea", count: 1))
                }
            }
            try await remote.dispatch(AddStock(item: "tea", count: 2))
        }
        #expect(shop.handled.first == "tea 1 order 7")
        #expect(shop.handled.count == 2)
    }

    @Test func `a command that fails for good becomes a dead letter, and its key goes on`() async throws {
        try await withWorkers { remote in
            let error = await #expect(throws: ClusterError.self) { try await remote.dispatch(BreakShelf(item: "tea")) }
            #expect(error?.description.hasSuffix("its handler threw DuetClusterTests.ShelfFull.") == true)
            try await remote.dispatch(AddStock(item: "tea", count: 1))
            let letters = try await cluster.commands.deadLetters.list(limit: 10)
            #expect(letters.map(\.command.message) == [BreakShelf.messageName])
            #expect(letters.first?.reason == "ShelfFull()")
        }
    }

    @Test(arguments: [
        ClusterError.behind(message: LoadStock.messageName),
        .notHandledInTime(message: BreakShelf.messageName, id: "1"),
        .unreadable(message: AddStock.messageName, reason: "it came from elsewhere"),
    ])
    func `an error that a handler received from a cluster is retried as any other`(error: ClusterError) async throws {
        shop.state.withLock { $0.failures = [error] }
        try await withWorkers { remote in
            try await remote.dispatch(AddStock(item: "tea", count: 1))
        }
        #expect(shop.handled.count == 1)
    }

    @Test(arguments: [
        Envelope(headers: ["Duet-Version": "1"], body: Data("{".utf8)),
        Envelope(headers: ["Duet-Version": "2"], body: Data(#"{"item":"tea","count":1}"#.utf8)),
        Envelope(headers: ["Duet-Version": "1", "Duet-Principal": "?"], body: Data(#"{"item":"tea","count":1}"#.utf8)),
    ])
    func `a command that cannot be read becomes a dead letter at once`(envelope: Envelope) async throws {
        try await withWorkers { remote in
            let unreadable = LoggedCommand(id: "1", key: "tea", message: AddStock.messageName, envelope: envelope)
            _ = try await cluster.commands.append(unreadable)
            try await remote.dispatch(AddStock(item: "tea", count: 2))
        }
        let letters = try await cluster.commands.deadLetters.list(limit: 10)
        #expect(letters.map(\.attempts) == [1])
        #expect(letters.first?.reason.hasPrefix("\(AddStock.messageName) cannot be read: ") == true)
        #expect(shop.handled.count == 1)
    }

    @Test func `a command that no node lists becomes a dead letter, and its sender learns that`() async throws {
        let reason = "this node does not list DuetClusterTests.CloseShop"
        try await withWorkers { remote in
            await #expect(throws: ClusterError.failed(message: CloseShop.messageName, reason: reason)) {
                try await remote.dispatch(CloseShop())
            }
        }
        let letters = try await cluster.commands.deadLetters.list(limit: 10)
        #expect(letters.map(\.reason) == [reason])
    }

    @Test func `a message that is not listed is refused, and the error names the remedy`() async throws {
        let remote = cluster.dispatcher { LoadStock.self }
        let error = await #expect(throws: ClusterError.notListed(message: LoadCaller.messageName)) {
            try await remote.dispatch(LoadCaller())
        }
        #expect(error?.description.contains("Add DuetClusterTests.LoadCaller.self to it.") == true)
        let twice = cluster.dispatcher {
            LoadStock.self
            LoadStock.self
        }
        await #expect(throws: ClusterError.listedTwice(message: LoadStock.messageName)) {
            try await twice.dispatch(LoadStock(item: "tea"))
        }
    }

    @Test func `a message that is too large is refused at the call`() async throws {
        try await withWorkers { remote in
            let item = String(repeating: "x", count: 2 << 20)
            await #expect(throws: TransportError.self) { try await remote.dispatch(LoadStock(item: item)) }
            await #expect(throws: TransportError.self) { try await remote.dispatch(AddStock(item: item, count: 1)) }
        }
    }

    @Test func `queries with a token see the effects of its commands`() async throws {
        try await withWorkers(2) { remote in
            let token = WriteToken()
            try await withWriteToken(token) {
                for _ in 1...20 { try await remote.accepting.dispatch(AddStock(item: "tea", count: 1)) }
                #expect(try await remote.dispatch(LoadStock(item: "tea")) == 20)
            }
            let copy = try #require(WriteToken(text: token.text))
            #expect(copy.text == token.text && !token.text.isEmpty)
        }
    }

    @Test func `a node that cannot reach a position in time says so`() async throws {
        try await withWorkers { remote in
            #expect(try await remote.dispatch(LoadStock(item: "tea")) == 0)
            let token = try #require(WriteToken(text: "0-999999"))
            await #expect(throws: ClusterError.behind(message: LoadStock.messageName)) {
                try await withWriteToken(token) {
                    try await withDeadline(in: .seconds(2)) { try await remote.dispatch(LoadStock(item: "tea")) }
                }
            }
        }
    }

    @Test(arguments: ["", "1", "1-", "-1-2", "a-b", "1-2-3", "1-99999999999999999999"])
    func `other text is no token`(text: String) {
        #expect((WriteToken(text: text) == nil) == !text.isEmpty)
    }
}

extension ClusterOptions {
    /// Options for short tests.
    static var test: ClusterOptions {
        ClusterOptions(
            processing: ProcessingOptions(attempts: 4, redelivery: .milliseconds(500)),
            handlingDelays: RetryPolicy(backoff: .constant(.milliseconds(5)), jitter: false)
        )
    }
}
