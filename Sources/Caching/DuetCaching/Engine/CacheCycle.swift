import Synchronization

/// An error for a load that needs its own result, or that invalidates its own value.
///
/// Handlers that dispatch each other's queries cause it, and so does a handler that dispatches a command whose rules
/// concern the handler's query. A handler may dispatch its own query once, which passes it to the next handler. A task
/// that a handler creates belongs to the load, unless it is a detached task.
///
/// The load of a handler that waits for its own value throws the error, in one task and also between tasks. After a
/// command that concerns the handler's query, observers get the value, marked as stale, with the error. It is not
/// loaded again until it is read, or another invalidation concerns it. The same happens to a value on screen that loads
/// of other values on screen invalidate again and again, each because of the one before.
public struct CacheCycle: Error, Hashable, CustomStringConvertible {
    /// The names of the messages that cause each other, the last of which is the first.
    package let messages: [String]

    /// The messages and what to do about them.
    public var description: String {
        "The load of \(messages.first ?? "a query") depends on itself: \(messages.joined(separator: " → ")). "
            + "Let one of the handlers get its values in another way."
    }
}

/// The loads that wait for other loads, by which cycles between tasks are found.
final class LoadWaits: Sendable {
    private struct Waiter {
        let name: String
        /// How often it waits for each load.
        var waits: [ObjectIdentifier: Int] = [:]
    }

    private let waiters = Mutex<[ObjectIdentifier: Waiter]>([:])

    /// Notes that a load waits for another one.
    ///
    /// - Throws: ``CacheCycle`` if the other one waits for the first.
    func begin(of chain: LoadChain, for load: AnyObject) throws(CacheCycle) {
        let path = waiters.withLock { waiters -> [String]? in
            waiters[chain.load, default: Waiter(name: chain.name)].waits[ObjectIdentifier(load), default: 0] += 1
            return Self.path(from: ObjectIdentifier(load), to: chain.load, waiters)
        }
        guard let path else { return }
        end(of: chain, for: load)
        throw CacheCycle(messages: [chain.name] + path + [chain.name])
    }

    func end(of chain: LoadChain, for load: AnyObject) {
        waiters.withLock { waiters in
            let load = ObjectIdentifier(load)
            guard let count = waiters[chain.load]?.waits[load] else { return }
            waiters[chain.load]?.waits[load] = count > 1 ? count - 1 : nil
            if waiters[chain.load]?.waits.isEmpty == true { waiters[chain.load] = nil }
        }
    }

    /// The names of the loads from one to another, without that one; nil if the first does not wait for it.
    private static func path(
        from load: ObjectIdentifier,
        to end: ObjectIdentifier,
        _ waiters: [ObjectIdentifier: Waiter]
    ) -> [String]? {
        var rest = [(load: load, path: [String]())]
        var seen: Set<ObjectIdentifier> = []
        while let (load, path) = rest.popLast() {
            if load == end { return path }
            guard seen.insert(load).inserted, let waiter = waiters[load] else { continue }
            for next in waiter.waits.keys { rest.append((next, path + [waiter.name])) }
        }
        return nil
    }
}
