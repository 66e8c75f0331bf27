import Foundation
import HTTPTypes
import Synchronization

/// The requests to the origin that other requests may wait for.
final class InFlightTable: Sendable {
    /// The key that requests share if one can wait for another.
    struct Key: Sendable, Hashable {
        let key: HTTPCacheKey
        /// The values of the fields that select the newest stored response, so that known variants do not wait for each
        /// other.
        let variant: String
    }

    enum Position {
        /// No fetch is in progress: the caller has to begin one.
        case began(InFlightPosition)
        case subscribed(InFlightPosition)
        /// The last response was not stored, so waiting is useless.
        case unshared
    }

    private struct State {
        var fetches: [Key: InFlightFetch] = [:]
        /// The end of the time for which no request waits for a key, after a response that was not stored.
        var unstored: [Key: Date] = [:]
        var order = UseOrder<Key>()

        mutating func forget(_ key: Key) {
            guard unstored.removeValue(forKey: key) != nil else { return }
            order.remove(key)
        }
    }

    /// The number of seconds for which no request waits after a response that was not stored, and the largest number of
    /// such keys.
    private static let unstoredTime = 120.0
    private static let unstoredLimit = 256

    private let state = Mutex(State())

    func join(_ key: Key, _ request: HTTPRequest, at now: Date) -> Position {
        state.withLock { state in
            if let end = state.unstored[key] {
                // A clock may have been set back.
                guard now >= end || now < end - Self.unstoredTime else { return .unshared }
                state.forget(key)
            }
            if let subscription = state.fetches[key]?.subscribe() { return .subscribed(subscription) }
            let caller = InFlightPosition(ofCallerFor: request)
            state.fetches[key] = caller.fetch
            return .began(caller)
        }
    }

    /// Remembers whether the last response was stored for others.
    func note(_ key: Key, isShared: Bool, at now: Date) {
        state.withLock { state in
            guard !isShared else { return state.forget(key) }
            state.unstored[key] = now + Self.unstoredTime
            state.order.use(key)
            if state.order.count > Self.unstoredLimit, let oldest = state.order.first { state.forget(oldest) }
        }
    }

    /// Keeps further requests from waiting for a fetch.
    func remove(_ key: Key, _ fetch: InFlightFetch) {
        state.withLock { state in
            if state.fetches[key] === fetch { state.fetches[key] = nil }
        }
    }

    /// Keeps further requests from waiting for a fetch of such a URI.
    func removeAll(where isMeant: (_ uri: String) -> Bool) {
        state.withLock { state in
            for key in state.fetches.keys where isMeant(key.key.uri) { state.fetches[key] = nil }
        }
    }
}
