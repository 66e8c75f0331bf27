import Duet
import DuetClusterEngine
import DuetContext
import Synchronization

/// The commands that this node receives and does not list, while nodes of another version may list them.
///
/// Each node serves a route for each command that it lists, so that the others can ask for one.
package final class UnlistedCommands: Sendable {
    /// The number of deliveries without a delay while another node lists the command: each node takes a few of them.
    private static let promptDeliveries = 16

    /// The number of names whose time is kept, because anyone who can add commands can make up names.
    private static let nameLimit = 1_000

    /// The number of delays for which a command waits for a node that lists it.
    private static let delayCount = 100

    private let queries: any QueryTransport
    private let delays: RetryPolicy
    private let clock: any Clock<Duration>
    /// The times until which names wait, from the first command on that no node listed, and until which that is known.
    private let waits = Mutex<[String: (end: Deadline, isKnown: Deadline)]>([:])

    init(_ queries: any QueryTransport, delays: RetryPolicy, clock: any Clock<Duration>) {
        self.queries = queries
        self.delays = delays
        self.clock = clock
    }

    package static func route(of name: String) -> String { "command." + name }

    /// Tells the other nodes that this node handles a command.
    static func announce(_ message: any AnyRoute, on queries: any QueryTransport) async throws -> any Registration {
        try await queries.serve(route(of: message.name), limit: 64) { _ in Envelope() }
    }

    /// The time after which another node gets a command; nil if no node lists it, and it need not wait any longer.
    func delay(of delivery: Delivery) async -> Duration? {
        let (name, count) = (delivery.command.message, delivery.skipped)
        // The hash of a name of any length would take any time.
        guard name.utf8.count <= ClusterCoding.longestName else {
            return count < Self.delayCount ? delay(count + 1) : nil
        }
        do {
            _ = try await queries.ask(Self.route(of: name), Envelope(), timeout: .seconds(2))
            waits.withLock { $0[name] = nil }
            // An attempt that counts all the same was not made known to the others.
            return count < Self.promptDeliveries && delivery.attempt == 1 ? .zero : delay(count + 1)
        } catch TransportError.noNode {
            return remaining(of: name) > .zero ? delay(count + 1) : nil
        } catch {
            // A node may list it.
            return count < Self.delayCount * 2 ? delay(count + 1) : nil
        }
    }

    private func delay(_ attempt: Int) -> Duration { delays.delay(afterAttempt: attempt, random: 1) }

    /// The time for which the commands of a name still wait.
    ///
    /// It begins once for a name: a hundred commands of a program that is gone must not hold up the others for hours.
    /// It begins again after a time in which none came, because other nodes may have handled the command meanwhile.
    private func remaining(of name: String) -> Duration {
        let whole = (1...Self.delayCount).reduce(Duration.zero) { $0 + delay($1) }
        let end = waits.withLock { waits in
            if waits.count >= Self.nameLimit, waits[name] == nil { waits = [:] }
            let known = waits[name].flatMap { $0.isKnown.remaining > .zero ? $0.end : nil }
            let end = known ?? Deadline(in: whole, clock: clock)
            waits[name] = (end, Deadline(in: whole * 2, clock: clock))
            return end
        }
        return end.remaining
    }
}
