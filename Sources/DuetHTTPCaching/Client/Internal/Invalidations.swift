import Synchronization

/// Sees to it that a response that was asked for before an invalidation began is not stored afterwards.
///
/// An invalidation waits for what is just being stored, so that nothing appears after it has removed what is there.
final class Invalidations: Sendable {
    private let line = Mutex(InvalidationLine<CheckedContinuation<Void, Never>>())
    /// As the line counts them; each request asks.
    private let removalCount = Atomic(0)

    /// How often loads of any URIs were made void together, for ``begin(_:since:)``.
    var removals: Int { removalCount.load(ordering: .acquiring) }

    /// A load that is void from the beginning if loads of any URIs were made void together since it was asked for.
    ///
    /// It may have been sent on behalf of somebody who has logged out meanwhile.
    func begin(_ uri: HashedURI, since removals: Int) -> LoadToken {
        line.withLock { $0.begin(uri, since: removals) }
    }

    func end(_ token: LoadToken) {
        line.withLock { $0.end(token) }
    }

    /// Whether the load may still be stored.
    func isValid(_ token: LoadToken) -> Bool {
        line.withLock { $0.isValid(token) }
    }

    /// Whether the response may be stored; then `endCommit` must follow.
    func beginCommit(_ token: LoadToken) -> Bool {
        line.withLock { $0.beginCommit(token) }
    }

    func endCommit(_ token: LoadToken) {
        for waiter in line.withLock({ $0.endCommit(token) }) { waiter.resume() }
    }

    /// Makes all loads of a URI void but one, and ends when none of them is being stored any more.
    func invalidate(_ uri: HashedURI, sparing token: LoadToken? = nil) async {
        line.withLock { $0.makeVoid(uri, sparing: token) }
        await wait(for: uri)
    }

    /// Makes all loads of such URIs void that have begun, and ends when none of them is being stored any more.
    func invalidateAll(where isMeant: (_ uri: String) -> Bool) async {
        let uris = line.withLock { line in
            defer { removalCount.store(line.removals, ordering: .releasing) }
            return line.makeVoid(where: isMeant)
        }
        for uri in uris { await wait(for: uri) }
    }

    private func wait(for uri: HashedURI) async {
        await withCheckedContinuation { continuation in
            if !line.withLock({ $0.wait(for: uri, continuation) }) { continuation.resume() }
        }
    }
}

/// One load, as invalidations know it.
package struct LoadToken: Sendable, Hashable {
    package let uri: HashedURI
    package let id: Int
}
