/// Which loads are void, and who waits until the last of those that are being stored is stored.
///
/// Pure: it says who is to be woken and wakes nobody.
package struct InvalidationLine<Waiter: Sendable>: Sendable {
    private struct Load {
        let id: Int
        /// Whether it may still be stored.
        var isValid = true
        var isCommitting = false
        var isEnded = false
    }

    /// All of one URI.
    private struct Loads {
        var all: [Load] = []
        var waiters: [Waiter] = []

        var areCommitting: Bool { all.contains(where: \.isCommitting) }

        /// Changes a load, which is forgotten when it has ended and is not being stored any more.
        mutating func change(_ id: Int, _ change: (inout Load) -> Void) {
            guard let index = all.firstIndex(where: { $0.id == id }) else { return }
            change(&all[index])
            if all[index].isEnded, !all[index].isCommitting { all.remove(at: index) }
        }

        mutating func makeVoid(but id: Int?) {
            for index in all.indices where all[index].id != id { all[index].isValid = false }
        }

        /// Those who have nothing to wait for any more.
        mutating func takeWaiters() -> [Waiter] {
            guard !waiters.isEmpty, !areCommitting else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private var loads: [HashedURI: Loads] = [:]
    private var lastID = 0

    package init() {}

    /// Of what something is being loaded or stored.
    package var uris: [HashedURI] { Array(loads.keys) }

    package mutating func begin(_ uri: HashedURI) -> LoadToken {
        lastID += 1
        loads[uri, default: Loads()].all.append(Load(id: lastID))
        return LoadToken(uri: uri, id: lastID)
    }

    package mutating func end(_ token: LoadToken) {
        // Nobody waits for what is not being stored.
        _ = change(token) { $0.isEnded = true }
    }

    package mutating func beginCommit(_ token: LoadToken) -> Bool {
        var mayCommit = false
        loads[token.uri]?.change(token.id) { load in
            mayCommit = load.isValid && !load.isEnded
            load.isCommitting = mayCommit
        }
        return mayCommit
    }

    /// Those who are to be woken.
    package mutating func endCommit(_ token: LoadToken) -> [Waiter] {
        change(token) { $0.isCommitting = false }
    }

    /// True when there is nothing to wait for.
    package mutating func invalidate(_ uri: HashedURI, sparing token: LoadToken?, _ waiter: Waiter) -> Bool {
        loads[uri]?.makeVoid(but: token?.id)
        guard loads[uri]?.areCommitting == true else { return true }
        loads[uri]?.waiters.append(waiter)
        return false
    }

    /// Looks the loads of a URI up once, and forgets them with the last; those who are to be woken.
    private mutating func change(_ token: LoadToken, _ change: (inout Load) -> Void) -> [Waiter] {
        guard var changed = loads.removeValue(forKey: token.uri) else { return [] }
        changed.change(token.id, change)
        let waiters = changed.takeWaiters()
        if !changed.all.isEmpty { loads[token.uri] = changed }
        return waiters
    }
}
