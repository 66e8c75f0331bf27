import Synchronization

/// Sees to it that a response whose load began before an invalidation ended is not stored afterwards.
///
/// An invalidation waits for what is just being stored, so that nothing appears after it has removed what is there.
final class Invalidations: Sendable {
    private let line = Mutex(InvalidationLine<CheckedContinuation<Void, Never>>())

    func begin(_ uri: HashedURI) -> LoadToken {
        line.withLock { $0.begin(uri) }
    }

    func end(_ token: LoadToken) {
        line.withLock { $0.end(token) }
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
        await withCheckedContinuation { continuation in
            if line.withLock({ $0.invalidate(uri, sparing: token, continuation) }) { continuation.resume() }
        }
    }

    /// Makes all loads of such URIs void that have begun, and ends when none of them is being stored any more.
    func invalidateAll(where isMeant: (_ uri: String) -> Bool) async {
        for uri in line.withLock(\.uris) where isMeant(uri.text) { await invalidate(uri) }
    }
}

/// One load, as invalidations know it.
package struct LoadToken: Sendable, Hashable {
    package let uri: HashedURI
    package let id: Int
}
