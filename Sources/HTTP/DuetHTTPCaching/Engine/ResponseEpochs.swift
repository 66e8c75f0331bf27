import Duet

/// The moment at which the store was read for a request, relative to invalidations and changes.
package struct Epoch: Sendable, Hashable {
    package let uri: HashedURI
    fileprivate let invalidations: Int
    fileprivate let changes: Int
}

/// Counts invalidations for each URI, so that no response is stored that was requested before one.
///
/// An invalidation waits for the commits of its URI that have begun, so nothing that it should remove appears later.
package final class ResponseEpochs: Sendable {
    private struct State {
        var invalidationsOfAll = 0
        var invalidations = Array(repeating: 0, count: ResponseEpochs.stripes)
        var changes = Array(repeating: 0, count: ResponseEpochs.stripes)
        /// The number of commits that have begun and not ended.
        var commits: [HashedURI: Int] = [:]

        func current(_ uri: HashedURI) -> Epoch {
            let stripe = stripe(uri)
            return Epoch(uri: uri, invalidations: invalidationsOfAll + invalidations[stripe], changes: changes[stripe])
        }

        func isCurrent(_ epoch: Epoch) -> Bool { current(epoch.uri).invalidations == epoch.invalidations }

        func stripe(_ uri: HashedURI) -> Int { Int(truncatingIfNeeded: uri.hashValue) & (ResponseEpochs.stripes - 1) }
    }

    /// The number of counters, which URIs share so that the table does not grow.
    ///
    /// An invalidation can therefore keep a response of another URI from being stored, which costs one more fetch.
    private static let stripes = 4_096

    private let state = Monitor(State())

    package init() {}

    package func current(_ uri: HashedURI) -> Epoch { state.read { $0.current(uri) } }

    /// Whether there was no invalidation since.
    package func isCurrent(_ epoch: Epoch) -> Bool { state.read { $0.isCurrent(epoch) } }

    /// Whether a response was stored or updated since.
    package func hasChanged(since epoch: Epoch) -> Bool {
        state.read { $0.changes[$0.stripe(epoch.uri)] != epoch.changes }
    }

    package func noteChange(of uri: HashedURI) { state.update { $0.changes[$0.stripe(uri)] += 1 } }

    /// Whether a response may be stored; if so, ``endCommit(_:)`` must follow.
    package func beginCommit(_ epoch: Epoch) -> Bool {
        state.update { state in
            guard state.isCurrent(epoch) else { return false }
            state.commits[epoch.uri, default: 0] += 1
            return true
        }
    }

    package func endCommit(_ epoch: Epoch) {
        state.update { state in
            state.changes[state.stripe(epoch.uri)] += 1
            let others = state.commits[epoch.uri, default: 1] - 1
            state.commits[epoch.uri] = others == 0 ? nil : others
        }
    }

    /// Begins a new epoch of a URI, and waits for its commits that have begun.
    ///
    /// - Returns: The new epoch for the response that caused the invalidation; nil if its own epoch had ended before.
    @discardableResult
    package func advance(_ uri: HashedURI, keeping own: Epoch? = nil) async -> Epoch? {
        let new = state.update { state in
            let isCurrent = own.map(state.isCurrent) == true
            state.invalidations[state.stripe(uri)] += 1
            return isCurrent ? own.map { state.current($0.uri) } : nil
        }
        await waitForCommits(of: uri)
        return new
    }

    /// Begins a new epoch of all URIs, and waits for all commits that have begun.
    package func advanceAll() async {
        let uris = state.update { state in
            state.invalidationsOfAll += 1
            return Array(state.commits.keys)
        }
        for uri in uris { await waitForCommits(of: uri) }
    }

    private func waitForCommits(of uri: HashedURI) async {
        await state.waitEvenIfCanceled { $0.commits[uri] == nil }
    }
}
