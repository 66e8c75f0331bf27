import Synchronization

/// The moment at which a request was looked up, as far as invalidations are concerned.
package struct Epoch: Sendable, Hashable {
    package let uri: HashedURI
    fileprivate let invalidations: Int
    fileprivate let changes: Int
}

/// Counts invalidations for each URI, so that no response is stored that was requested before one.
///
/// An invalidation waits for the commits of its URI that are under way. Nothing that it should remove appears after it.
package final class Epochs: Sendable {
    private struct Commits {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private struct State {
        var invalidationsOfAll = 0
        var invalidations = Array(repeating: 0, count: Epochs.stripes)
        var changes = Array(repeating: 0, count: Epochs.stripes)
        var commits: [HashedURI: Commits] = [:]

        func current(_ uri: HashedURI) -> Epoch {
            let stripe = stripe(uri)
            return Epoch(
                uri: uri,
                invalidations: invalidationsOfAll + invalidations[stripe],
                changes: changes[stripe]
            )
        }

        func isCurrent(_ epoch: Epoch) -> Bool { current(epoch.uri).invalidations == epoch.invalidations }

        func stripe(_ uri: HashedURI) -> Int { Int(truncatingIfNeeded: uri.hashValue) & (Epochs.stripes - 1) }
    }

    /// URIs share counters, so that the table does not grow.
    ///
    /// An invalidation may therefore prevent a response of another URI from being stored, which costs one more fetch.
    private static let stripes = 256

    private let state = Mutex(State())

    package init() {}

    package func current(_ uri: HashedURI) -> Epoch { state.withLock { $0.current(uri) } }

    /// Whether nothing was invalidated since.
    package func isCurrent(_ epoch: Epoch) -> Bool { state.withLock { $0.isCurrent(epoch) } }

    /// Whether something was stored or updated since.
    package func hasChanged(since epoch: Epoch) -> Bool {
        state.withLock { $0.changes[$0.stripe(epoch.uri)] != epoch.changes }
    }

    package func noteChange(of uri: HashedURI) { state.withLock { $0.changes[$0.stripe(uri)] += 1 } }

    /// Whether a response may be stored; if so, ``endCommit(_:)`` must follow.
    package func beginCommit(_ epoch: Epoch) -> Bool {
        state.withLock { state in
            guard state.isCurrent(epoch) else { return false }
            state.commits[epoch.uri, default: Commits()].count += 1
            return true
        }
    }

    package func endCommit(_ epoch: Epoch) {
        noteChange(of: epoch.uri)
        let waiters = state.withLock { state in
            state.commits[epoch.uri]?.count -= 1
            guard state.commits[epoch.uri]?.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            return state.commits.removeValue(forKey: epoch.uri)?.waiters ?? []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Begins a new epoch of a URI, and waits for its commits under way.
    ///
    /// - Returns: The new epoch for the response that caused the invalidation; nil if its own epoch was over before.
    @discardableResult
    package func advance(_ uri: HashedURI, keeping own: Epoch? = nil) async -> Epoch? {
        let new = state.withLock { state in
            let isCurrent = own.map(state.isCurrent) == true
            state.invalidations[state.stripe(uri)] += 1
            return isCurrent ? own.map { state.current($0.uri) } : nil
        }
        await commits(of: uri)
        return new
    }

    /// Begins a new epoch of all URIs, and waits for all commits under way.
    package func advanceAll() async {
        let uris = state.withLock { state in
            state.invalidationsOfAll += 1
            return Array(state.commits.keys)
        }
        for uri in uris { await commits(of: uri) }
    }

    private func commits(of uri: HashedURI) async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                state.commits[uri]?.waiters.append(continuation)
                return state.commits[uri] != nil
            }
            if !isWaiting { continuation.resume() }
        }
    }
}
