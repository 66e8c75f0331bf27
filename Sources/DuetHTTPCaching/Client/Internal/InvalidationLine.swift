/// Which loads are void, and who waits until the last of those that are being stored is stored.
///
/// Pure: it says who is to be woken and wakes nobody.
package struct InvalidationLine<Waiter: Sendable>: Sendable {
    private struct Loads {
        /// Whether each may still be stored.
        var areValid: [Int: Bool] = [:]
        var committing: Set<Int> = []
        var waiters: [Waiter] = []
    }

    private var loads: [String: Loads] = [:]
    private var lastID = 0

    package init() {}

    /// Of what something is being loaded or stored.
    package var uris: [String] { Array(loads.keys) }

    package mutating func begin(_ uri: String) -> LoadToken {
        lastID += 1
        loads[uri, default: Loads()].areValid[lastID] = true
        return LoadToken(uri: uri, id: lastID)
    }

    package mutating func end(_ token: LoadToken) {
        loads[token.uri]?.areValid[token.id] = nil
        forget(token.uri)
    }

    package mutating func beginCommit(_ token: LoadToken) -> Bool {
        guard loads[token.uri]?.areValid[token.id] == true else { return false }
        loads[token.uri]?.committing.insert(token.id)
        return true
    }

    /// Those who are to be woken.
    package mutating func endCommit(_ token: LoadToken) -> [Waiter] {
        guard loads[token.uri]?.committing.remove(token.id) != nil, loads[token.uri]?.committing.isEmpty == true else {
            return []
        }
        defer { forget(token.uri) }
        let waiters = loads[token.uri]?.waiters ?? []
        loads[token.uri]?.waiters = []
        return waiters
    }

    /// True when there is nothing to wait for.
    package mutating func invalidate(_ uri: String, sparing token: LoadToken?, _ waiter: Waiter) -> Bool {
        guard let ids = loads[uri]?.areValid.keys else { return true }
        for id in ids where id != token?.id || uri != token?.uri { loads[uri]?.areValid[id] = false }
        guard loads[uri]?.committing.isEmpty == false else { return true }
        loads[uri]?.waiters.append(waiter)
        return false
    }

    private mutating func forget(_ uri: String) {
        guard let left = loads[uri], left.areValid.isEmpty, left.committing.isEmpty else { return }
        loads[uri] = nil
    }
}
