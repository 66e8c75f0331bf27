import Duet
import DuetContext
import ServiceContextModule
import Testing

struct ServiceContextTests {
    @Test func `nothing travels with a message by default`() {
        let context = ServiceContext.topLevel
        #expect(context.deadline == nil)
        #expect(context.idempotencyKey == nil)
    }

    @Test func `each value that travels with a message has its own key`() {
        var context = ServiceContext.topLevel
        context.idempotencyKey = "once"
        #expect(context.idempotencyKey == "once")
        #expect(context.deadline == nil)

        context.deadline = Deadline(in: .seconds(1))
        context.idempotencyKey = nil
        #expect(context.deadline != nil)
        #expect(context.idempotencyKey == nil)
    }

    @Test func `a key that a caller sets is for all commands, and a received one for commands of its type`() {
        var context = ServiceContext.topLevel
        context.idempotencyKey = "mine"
        #expect(context.idempotencyKey(for: "Order") == "mine")

        context.receiveIdempotencyKey("theirs", of: "Order")
        #expect(context.idempotencyKey == "theirs")
        #expect(context.idempotencyKey(for: "Order") == "theirs")
        #expect(context.idempotencyKey(for: "Pay") == nil)

        context.receiveIdempotencyKey(nil, of: "Order")
        #expect(context.idempotencyKey == nil)
    }

    @Test func `a task's context reaches its child tasks`() async {
        var context = ServiceContext.topLevel
        context.idempotencyKey = "once"
        let key = await ServiceContext.withValue(context) {
            await withTaskGroup(of: String?.self) { group in
                group.addTask { ServiceContext.current?.idempotencyKey }
                return await group.next() ?? nil
            }
        }
        #expect(key == "once")
    }

    private struct Order: Command {}
    private struct Pay: Command {}

    @Test func `a handler finds its principal, its deadline and the key of its command`() async {
        #expect(Principal.current == nil)
        #expect(Deadline.current == nil)
        #expect(IdempotencyKey.current(for: Order.self) == nil)
        await withPrincipal(Principal(id: "ada")) {
            await withDeadline(in: .seconds(60)) {
                await withIdempotencyKey("once") {
                    #expect(Principal.current?.id == "ada")
                    #expect(Deadline.current != nil)
                    let name = Order.messageName
                    #expect(IdempotencyKey.current(for: Order.self) == #"["\#(name)","ada","once"]"#)
                }
            }
        }
        #expect(Principal.current == nil)
    }

    @Test func `the key that came with a command is not that of the commands of its handler`() async {
        var context = ServiceContext.topLevel
        context.receiveIdempotencyKey("theirs", of: Order.messageName)
        ServiceContext.withValue(context) {
            #expect(IdempotencyKey.current(for: Order.self) == #"["\#(Order.messageName)","","theirs"]"#)
            #expect(IdempotencyKey.current(for: Pay.self) == nil)
        }
        context.receiveIdempotencyKey("theirs", of: Order.messageName, identity: "of a log")
        ServiceContext.withValue(context) { #expect(IdempotencyKey.current(for: Order.self) == "of a log") }
    }

    @Test func `a handler keeps the identity of its command to itself`() async throws {
        let boundary = CommandKeyBoundary()
        func identity() -> String? { IdempotencyKey.current(for: Order.self) }
        let once = #"["\#(Order.messageName)","","once"]"#
        try await withIdempotencyKey("once") {
            #expect(identity() == once)
            try await boundary.enter(Order.self) {
                #expect(identity() == once)
                #expect(ServiceContext.current?.idempotencyKey(for: Order.messageName) == nil)
                // A command of the same type that the handler dispatches in this process.
                try await boundary.enter(Order.self) { #expect(identity() == nil) }
                #expect(identity() == once)
                try await withIdempotencyKey("another") {
                    try await boundary.enter(Order.self) {
                        #expect(identity() == #"["\#(Order.messageName)","","another"]"#)
                    }
                }
                await withIdempotencyKey(nil) { #expect(identity() == nil) }
            }
        }
    }

    @Test func `a handler sends each content under its own key, which a failure leaves to the next`()
        async throws
    {
        func key(of content: String, isFailing: Bool = false) async -> String? {
            let sent = Monitor<String?>(nil)
            try? await withSendingKey(of: "Pay", content.utf8) { key in
                sent.update { $0 = key }
                if isFailing { throw CancellationError() }
            }
            return sent.read { $0 }
        }
        #expect(await key(of: "1") == nil)
        var attempts: [[String?]] = []
        for order in [["1", "2", "1"], ["2", "1", "1"]] {
            try await withIdempotencyKey("once") {
                #expect(await key(of: "1") == "once")
                try await CommandKeyBoundary().enter(Order.self) {
                    let failed = await key(of: "1", isFailing: true)
                    var keys: [String?] = []
                    for content in order { keys.append(await key(of: content)) }
                    #expect(keys[order.firstIndex(of: "1") ?? 0] == failed)
                    #expect(Set(keys).count == 3 && keys.allSatisfy { ($0?.utf8.count ?? 0) > 30 })
                    attempts.append(keys)
                }
            }
        }
        #expect(Set(attempts[0]) == Set(attempts[1]))
    }
}
