import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import Synchronization
import TestSupport
import Testing

/// What tells a command from all others: its message, its principal and its key.
@Suite(.timeLimit(.minutes(5))) struct CommandIdentityTests {
    private let cluster = InProcessCluster()
    private let office = Office()

    private let messages = MessageAPI.open {
        PlaceOrder.self
        CancelOrder.self
        DeleteFolder.self
        Tick.self
        Number.self
        Batch.self
        AskToWait.self
    }

    /// Runs a worker while `body` runs, until all commands are handled.
    private func withWorker(_ body: (ClusterDispatcher) async throws -> Void) async throws {
        let remote = try ClusterDispatcher(messages, on: cluster.node(), options: .test)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let dispatcher = try office.dispatcher(sendingTo: remote)
            let worker = try ClusterWorker(messages, dispatcher, on: cluster.node(), options: .test)
            group.addTask { try await worker.run() }
            try await body(remote)
            while case let now = try await cluster.commands.statistics(), now.waiting + now.running > 0 {
                await Task.yield()
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a key belongs to one message and one principal`() async throws {
        try await withWorker { remote in
            try await withIdempotencyKey("order-42") {
                for _ in 1...2 {
                    try await remote.dispatch(PlaceOrder(id: "42"))
                    try await remote.dispatch(CancelOrder(id: "42"))
                }
            }
            for name in ["ann", "bob", "ann"] {
                try await withPrincipal(Principal(id: name)) {
                    try await withIdempotencyKey("1") { try await remote.dispatch(PlaceOrder(id: name)) }
                }
            }
        }
        #expect(office.effects == ["place 42", "cancel 42", "place ann", "place bob"])
    }

    @Test func `the identity of a command is an array in JSON, in which nobody has no name`() {
        let texts = [nil, Principal(id: ""), Principal(id: "ann")].map { commandIdentity("Order", $0, "") }
        #expect(texts == [#"["Order","",""]"#, #"["Order","","","unnamed"]"#, #"["Order","ann",""]"#])
    }

    @Test func `a handler that dispatches its own message loses none of these commands`() async throws {
        try await withWorker { remote in
            try await remote.dispatch(DeleteFolder(path: "/"))
            try await withIdempotencyKey("tick") { try await remote.dispatch(Tick(left: 3)) }
        }
        let folders = ["/", "/a/", "/a/a/", "/a/b/", "/b/", "/b/a/", "/b/b/"].map { "delete \($0)" }
        #expect(office.effects.filter { $0.hasPrefix("delete") }.sorted() == folders)
        #expect(office.effects.filter { $0 == "tick" }.count == 4)
    }

    @Test(arguments: [false, true])
    func `another attempt sends the same commands, each of which has one effect`(isConcurrent: Bool) async throws {
        office.state.withLock { $0.failures = 2 }
        try await withWorker { remote in
            try await remote.dispatch(Batch(numbers: [1, 2, 2, 3], isConcurrent: isConcurrent))
        }
        #expect(office.state.withLock(\.attempts) == 3)
        #expect(office.effects.sorted() == ["number 1", "number 2", "number 2", "number 3"])
    }

    @Test func `a command in this process keeps its key to itself`() async throws {
        let remote = try ClusterDispatcher(messages, on: cluster.node(), options: .test)
        let local = try office.dispatcher(sendingTo: remote)
        try await withWorker { _ in
            for _ in 1...2 {
                try await withIdempotencyKey("batch") {
                    try await local.dispatch(Batch(numbers: [1, 2], isConcurrent: false))
                }
            }
        }
        #expect(office.effects.sorted() == ["number 1", "number 2"])
    }

    @Test func `a handler that would wait for a command of the log fails at once`() async throws {
        try await withWorker { remote in
            let error = try await #require(throws: ClusterError.self) { try await remote.dispatch(AskToWait()) }
            guard case .failed(_, let reason) = error else {
                Issue.record("expected a failure, found \(error)")
                return
            }
            #expect(reason.contains("`accepting`") && reason.contains(Number.messageName))
        }
        #expect(office.effects == [])
    }
}

/// Counts what its handlers have done, once for each identity.
private final class Office: Sendable {
    struct State {
        var effects: [String] = []
        var identities: Set<String> = []
        var failures = 0
        var attempts = 0
    }

    let state = Mutex(State())

    var effects: [String] { state.withLock(\.effects) }

    /// Carries out the command of the current task, unless it was before.
    func carryOut<C: Command>(_ command: C.Type, _ effect: String) {
        let identity = IdempotencyKey.current(for: C.self)
        state.withLock { state in
            guard identity.map({ state.identities.insert($0).inserted }) ?? true else { return }
            state.effects.append(effect)
        }
    }

    func dispatcher(sendingTo remote: ClusterDispatcher) throws -> StandardDispatcher {
        try StandardDispatcher {
            PlaceOrderHandler(office: self)
            CancelOrderHandler(office: self)
            DeleteFolderHandler(office: self, remote: remote.accepting)
            TickHandler(office: self, remote: remote.accepting)
            NumberHandler(office: self)
            BatchHandler(office: self, remote: remote.accepting)
            AskToWaitHandler(remote: remote)
        }
    }
}

private struct PlaceOrder: Command, Codable { let id: String }
private struct CancelOrder: Command, Codable { let id: String }
private struct DeleteFolder: Command, Codable { let path: String }
private struct Tick: Command, Codable { let left: Int }
private struct Number: Command, Codable { let number: Int }
private struct AskToWait: Command, Codable {}
private struct Batch: Command, Codable {
    let numbers: [Int]
    let isConcurrent: Bool
}

private struct PlaceOrderHandler: CommandHandler {
    let office: Office
    func handle(_ command: PlaceOrder) async throws { office.carryOut(PlaceOrder.self, "place \(command.id)") }
}

private struct CancelOrderHandler: CommandHandler {
    let office: Office
    func handle(_ command: CancelOrder) async throws { office.carryOut(CancelOrder.self, "cancel \(command.id)") }
}

private struct NumberHandler: CommandHandler {
    let office: Office
    func handle(_ command: Number) async throws { office.carryOut(Number.self, "number \(command.number)") }
}

/// Deletes a tree of three levels.
private struct DeleteFolderHandler: CommandHandler {
    let office: Office
    let remote: ClusterDispatcher

    func handle(_ command: DeleteFolder) async throws {
        if command.path.count < 5 {
            for name in ["a", "b"] { try await remote.dispatch(DeleteFolder(path: "\(command.path)\(name)/")) }
        }
        office.carryOut(DeleteFolder.self, "delete \(command.path)")
    }
}

/// Dispatches the next tick, which is equal to it when the count is used up.
private struct TickHandler: CommandHandler {
    let office: Office
    let remote: ClusterDispatcher

    func handle(_ command: Tick) async throws {
        office.carryOut(Tick.self, "tick")
        if command.left > 0 { try await remote.dispatch(Tick(left: command.left - 1)) }
    }
}

private struct BatchHandler: CommandHandler {
    let office: Office
    let remote: ClusterDispatcher

    func handle(_ command: Batch) async throws {
        let isFailing = office.state.withLock { state in
            state.attempts += 1
            state.failures -= 1
            return state.failures >= 0
        }
        // Another order at each attempt.
        let numbers = command.isConcurrent ? command.numbers.reversed() : command.numbers
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in isFailing ? Array(numbers.dropFirst()) : numbers {
                let send = { @Sendable [remote] in try await remote.dispatch(Number(number: number)) }
                if command.isConcurrent { group.addTask(operation: send) } else { try await send() }
            }
            try await group.waitForAll()
        }
        if isFailing { throw BatchFailed() }
    }
}

private struct BatchFailed: Error {}

private struct AskToWaitHandler: CommandHandler {
    let remote: ClusterDispatcher
    func handle(_ command: AskToWait) async throws { try await remote.dispatch(Number(number: 1)) }
}
