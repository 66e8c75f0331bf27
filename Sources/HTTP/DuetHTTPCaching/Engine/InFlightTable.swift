import Duet
import Foundation
import Synchronization

/// One request to the origin, whose response other requests for the same response wait for.
final class InFlightFetch: Sendable {
    /// The result of the fetch for the requests that wait for it.
    enum Outcome {
        /// The response is stored and can be used for other requests.
        case stored(CacheStatus)
        /// Each of the others has to send its own request.
        case notStored
        /// The origin failed, with this status code if it responded. A stale response may be served instead.
        case originFailed(Int?)
        case failed(any Error)
        /// The request was canceled, so that one of the others has to be sent.
        case abandoned

        /// Whether the others get a response from the fetch.
        var isShared: Bool {
            switch self {
            case .stored, .originFailed: true
            case .notStored, .failed, .abandoned: false
            }
        }
    }

    private struct State {
        /// The response whose body is being read.
        var begun: StoredResponse?
        var outcome: Outcome?
    }

    private let state = Monitor(State())

    func begin(_ response: StoredResponse) { state.update { $0.begun = response } }

    func end(_ outcome: Outcome) { state.update { $0.outcome = outcome } }

    /// Waits until the response is stored, or will not be.
    ///
    /// - Parameter isUsable: Whether the response is worth waiting for, once its head has arrived.
    func outcome(while isUsable: (StoredResponse) -> Bool) async throws -> Outcome {
        let progress = try await state.wait { $0.outcome == nil && $0.begun == nil ? nil : $0 }
        if progress.outcome == nil, let begun = progress.begun, !isUsable(begun) { return .notStored }
        return try await state.wait(for: \.outcome)
    }
}

/// The requests to the origin that other requests may wait for.
final class InFlightTable: Sendable {
    /// The key that requests share if one can wait for another.
    struct Key: Hashable {
        let key: HTTPCacheKey
        /// The values of the fields that select the newest stored response, so that known variants do not wait for each
        /// other.
        let variant: String
    }

    enum Position {
        /// No fetch is in progress: the caller has to begin this one, and to end it.
        case leads(InFlightFetch)
        case follows(InFlightFetch)
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

    func join(_ key: Key, at now: Date) -> Position {
        state.withLock { state in
            if let end = state.unstored[key] {
                // A clock may have been set back.
                guard now >= end || now < end - Self.unstoredTime else { return .unshared }
                state.forget(key)
            }
            if let fetch = state.fetches[key] { return .follows(fetch) }
            let fetch = InFlightFetch()
            state.fetches[key] = fetch
            return .leads(fetch)
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
    func removeAll(where condition: (_ uri: String) -> Bool) {
        state.withLock { state in
            for key in state.fetches.keys where condition(key.key.uri) { state.fetches[key] = nil }
        }
    }
}
