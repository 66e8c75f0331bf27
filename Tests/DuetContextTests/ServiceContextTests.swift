import Duet
import DuetContext
import ServiceContextModule
import Testing

struct ServiceContextTests {
    @Test func `nothing travels with a message by default`() {
        let context = ServiceContext.topLevel
        #expect(context.deadline == nil)
        #expect(context.principal == nil)
        #expect(context.idempotencyKey == nil)
    }

    @Test func `each value that travels with a message has its own key`() {
        var context = ServiceContext.topLevel
        context.principal = Principal(id: "ada", scopes: ["feed"])
        context.idempotencyKey = "once"
        #expect(context.principal == Principal(id: "ada", scopes: ["feed"]))
        #expect(context.idempotencyKey == "once")
        #expect(context.deadline == nil)

        context.principal = nil
        #expect(context.principal == nil)
        #expect(context.idempotencyKey == "once")
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
                    #expect(IdempotencyKey.current(for: Order.self) == "once")
                }
            }
        }
        #expect(Principal.current == nil)
    }

    @Test func `the key that came with a command is not that of the commands of its handler`() async {
        var context = ServiceContext.topLevel
        context.receiveIdempotencyKey("theirs", of: Order.messageName)
        ServiceContext.withValue(context) {
            #expect(IdempotencyKey.current(for: Order.self) == "theirs")
            #expect(IdempotencyKey.current(for: Pay.self) == nil)
        }
    }
}
