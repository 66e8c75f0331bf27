import Duet
import DuetContext
import Synchronization

/// Gets tokens from a source, with one refresh at a time for all requests that need a new token (single flight).
final class TokenRefresher: Sendable {
    private let source: any TokenSource
    private let state = Mutex(TokenRefresh<CheckedContinuation<String?, any Error>>())

    var waiting: Int { state.withLock { $0.count } }

    init(_ source: any TokenSource) {
        self.source = source
    }

    /// The token to send.
    ///
    /// - Throws: The error of the source.
    func current() async throws -> String? {
        try await asSource(for: Principal.current) { try await source.current() }
    }

    /// Runs the source, which knows for whom the request is.
    ///
    /// Whatever the source sends is not part of the request, so the request's limits and name do not apply.
    private func asSource<Value>(for principal: Principal?, _ body: () async throws -> Value) async throws -> Value {
        try await TaskContext(caller: Caller(principal: principal)).run {
            try await HTTPRequestOptions.useNone { try await body() }
        }
    }

    /// A token other than `rejected`, or nil without one.
    ///
    /// - Throws: The error of the source; `CancellationError` when the task is canceled, which does not end the
    ///   refresh.
    func token(replacing rejected: String?) async throws -> String? {
        let id = state.withLock { $0.newID() }
        let token = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let startsRefresh: Bool? = state.withLock { state in
                    Task.isCancelled ? nil : state.join(id, continuation, replacing: rejected)
                }
                switch startsRefresh {
                case nil: continuation.resume(throwing: CancellationError())
                case true?: refresh(replacing: rejected, for: Principal.current)
                case false?: break
                }
            }
        } onCancel: {
            state.withLock { $0.leave(id) }?.resume(throwing: CancellationError())
        }
        return token == rejected ? nil : token
    }

    private func refresh(replacing rejected: String?, for principal: Principal?) {
        // Detached, because it serves more than the first task, whose deadline and options do not apply to the others.
        Task.detached { [self] in
            do {
                let token: String? = try await asSource(for: principal) {
                    // A request that was late with an old token finds that there is a newer one.
                    if let current = try await source.current(), current != rejected { return current }
                    return try await source.refresh(replacing: rejected)
                }
                let (finished, restarts) = state.withLock { $0.finish(with: token) }
                for waiter in finished { waiter.resume(returning: token) }
                if restarts { refresh(replacing: token, for: principal) }
            } catch {
                for waiter in state.withLock({ $0.fail() }) { waiter.resume(throwing: error) }
            }
        }
    }
}

/// The state of a single-flight refresh: idle, or under way with its waiters.
///
/// It is pure: it returns which waiters to resume and whether to start a refresh.
package struct TokenRefresh<Waiter: Sendable>: Sendable {
    private struct Waiting {
        let waiter: Waiter
        let rejected: String?
    }

    private enum State {
        case idle
        case refreshing(replacing: String?, [Int: Waiting])
    }

    private var state = State.idle
    private var lastID = 0

    package var count: Int {
        if case .refreshing(_, let waiters) = state { waiters.count } else { 0 }
    }

    package init() {}

    package mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds a waiter for a token other than `rejected`; true for the first, for which the caller starts a refresh.
    package mutating func join(_ id: Int, _ waiter: Waiter, replacing rejected: String?) -> Bool {
        let waiting = Waiting(waiter: waiter, rejected: rejected)
        switch state {
        case .idle:
            state = .refreshing(replacing: rejected, [id: waiting])
            return true
        case .refreshing(let replaced, var waiters):
            // So that the dictionary is not shared, and not copied, when it changes.
            state = .idle
            waiters[id] = waiting
            state = .refreshing(replacing: replaced, waiters)
            return false
        }
    }

    /// Removes a canceled waiter; nil when it was already resumed.
    ///
    /// The refresh continues for the others, or for later requests.
    package mutating func leave(_ id: Int) -> Waiter? {
        guard case .refreshing(let replaced, var waiters) = state else { return nil }
        state = .idle
        let waiting = waiters.removeValue(forKey: id)
        state = .refreshing(replacing: replaced, waiters)
        return waiting?.waiter
    }

    /// Ends the refresh with a token, and returns the waiters to resume and whether to refresh again, replacing this
    /// token.
    ///
    /// That is for requests that were rejected with this very token before the refresh ended. The second refresh ends
    /// for them with whatever it returns, so each waits for two at most.
    package mutating func finish(with token: String?) -> (finished: [Waiter], restarts: Bool) {
        guard case .refreshing(let replaced, let waiters) = state else { return ([], false) }
        let rejecting = token == nil || token == replaced ? [:] : waiters.filter { $0.value.rejected == token }
        state = rejecting.isEmpty ? .idle : .refreshing(replacing: token, rejecting)
        return (waiters.filter { rejecting[$0.key] == nil }.map(\.value.waiter), !rejecting.isEmpty)
    }

    package mutating func fail() -> [Waiter] {
        guard case .refreshing(_, let waiters) = state else { return [] }
        state = .idle
        return waiters.values.map(\.waiter)
    }
}
