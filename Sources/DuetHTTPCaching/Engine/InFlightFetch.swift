import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// One request to the origin, in a task of its own.
///
/// The task goes on while the caller or a subscriber is there, and is cancelled with the last of them.
final class InFlightFetch: Sendable {
    typealias State = InFlightState<CacheResponse, CheckedContinuation<Void, Never>>

    let request: HTTPRequest
    private let state: Mutex<State>
    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// Creates a fetch whose caller is an ``InFlightCaller``.
    init(of request: HTTPRequest) {
        self.request = request
        state = Mutex(State())
    }

    func start(_ operation: @escaping @Sendable @concurrent (InFlightFetch) async -> Void) {
        let task = Task.startingHere { await operation(self) }
        self.task.withLock { $0 = task }
    }

    /// Waits until the fetch has ended, unless others still use it.
    func ended() async {
        guard state.withLock(\.isAbandoned) else { return }
        _ = await task.withLock { $0 }?.result
    }

    func subscribe() -> InFlightSubscription? {
        state.withLock { $0.subscribe() }.map { InFlightSubscription(fetch: self, id: $0) }
    }

    // MARK: The fetch

    func respond(_ response: Result<CacheResponse, any Error>, _ outcome: State.Outcome) {
        change { $0.respond(response, outcome) }
    }

    func finish(_ end: Result<HTTPFields, any Error>, _ outcome: State.Outcome) {
        change { $0.finish(end, outcome) }
    }

    /// Forwards the body to the caller as it asks for more, and stores it.
    ///
    /// The piece that completes the announced length is forwarded when the response is stored, so that a caller that
    /// has the whole body finds the response in the store.
    ///
    /// - Returns: How the body ended, and why the response is not stored if it is not. ``finish(_:_:)`` must follow.
    func forward(_ body: HTTPBody, storing fill: Fill) async -> (
        end: Result<HTTPFields, any Error>, refusal: NotStored?
    ) {
        var fill = fill
        var last: Data?
        defer { if let last { change { $0.push(last) } } }
        do {
            var iterator = body.makeAsyncIterator()
            while true {
                if last == nil { try await untilWanted() }
                guard let piece = try await iterator.next() else { break }
                if fill.count + Int64(piece.count) == body.size { last = piece } else { change { $0.push(piece) } }
                await fill.append(piece)
                if !fill.mayBeStored, state.withLock(\.stage) == .storing { change { $0.change(to: .notStored) } }
            }
            // A source may end without an error when its task is cancelled. What was read would look complete.
            try Task.checkCancellation()
            return (.success(body.trailers), await fill.finish(completely: true))
        } catch {
            let isRefused = error.wrongBodyLength?.isTooLong == true
            // In another task, because this one may be cancelled.
            let refusal = await Task { [fill] in
                if isRefused { await fill.refuse() } else { await fill.finish(completely: false) }
            }
            .value
            return (.failure(error), refusal ?? .incomplete)
        }
    }

    /// - Throws: `CancellationError` when the fetch is abandoned.
    private func untilWanted() async throws {
        while !state.withLock(\.isWanted) {
            if state.withLock(\.isAbandoned) { throw CancellationError() }
            try await wait { state, waiter in
                (state.waitAsSource(waiter), State.Effects())
            } stop: {
                $0.stopWaitingAsSource()
            }
        }
    }

    // MARK: The caller and the subscribers

    fileprivate func response() async throws -> CacheResponse {
        while true {
            if let response = state.withLock({ $0.takeResponse() }) { return try response.get() }
            try await wait { state, waiter in
                (state.waitForResponse(waiter), State.Effects())
            } stop: {
                $0.stopWaitingAsCaller()
            }
        }
    }

    fileprivate func nextPiece() async throws -> State.Next {
        while true {
            if let next = state.withLock({ $0.takeNext() }) { return next }
            try await wait { state, waiter in
                state.waitForNext(waiter)
            } stop: {
                $0.stopWaitingAsCaller()
            }
        }
    }

    fileprivate func leave() { change { $0.leaveAsCaller() } }

    fileprivate func outcome(for id: Int, while isOfUse: (StoredResponse) -> Bool) async throws -> State.Outcome {
        var stage = State.Stage.requested
        while true {
            let outcome = state.withLock(\.outcome)
            switch outcome {
            case nil: break
            case .storing(let response)? where stage == .requested:
                guard isOfUse(response) else { return .storing(response) }
                stage = .storing
            case .storing?: break
            case let outcome?: return outcome
            }
            try await wait { [stage] state, waiter in
                (state.wait(id, after: stage, waiter), State.Effects())
            } stop: {
                $0.stopWaiting(id)
            }
        }
    }

    fileprivate func unsubscribe(_ id: Int) { change { $0.unsubscribe(id) } }

    private func change(_ change: (inout sending State) -> State.Effects) {
        perform(state.withLock { change(&$0) })
    }

    private func perform(_ effects: State.Effects) {
        for waiter in effects.waiters { waiter.resume() }
        if effects.cancelsFetch { task.withLock { $0 }?.cancel() }
    }

    private func wait(
        _ begin: @Sendable (inout State, CheckedContinuation<Void, Never>) -> (isWaiting: Bool, effects: State.Effects),
        stop: @Sendable (inout State) -> CheckedContinuation<Void, Never>?
    ) async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Checked under the lock: a later cancellation finds the registered waiter.
                let (isWaiting, effects) = state.withLock { state in
                    Task.isCancelled ? (false, State.Effects()) : begin(&state, continuation)
                }
                perform(effects)
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            state.withLock { stop(&$0) }?.resume()
        }
        try Task.checkCancellation()
    }
}

/// The position of the caller that began a fetch, which it leaves when nothing holds this any more.
final class InFlightCaller: Sendable {
    let fetch: InFlightFetch

    init(_ fetch: InFlightFetch) {
        self.fetch = fetch
    }

    deinit {
        fetch.leave()
    }

    func response() async throws -> CacheResponse { try await fetch.response() }
    fileprivate func nextPiece() async throws -> InFlightFetch.State.Next { try await fetch.nextPiece() }
}

/// The position of a request that waits for another one, which it leaves when nothing holds this any more.
final class InFlightSubscription: Sendable {
    let fetch: InFlightFetch
    private let id: Int

    fileprivate init(fetch: InFlightFetch, id: Int) {
        self.fetch = fetch
        self.id = id
    }

    deinit {
        fetch.unsubscribe(id)
    }

    /// Waits until the response is stored, or will not be.
    ///
    /// - Parameter isOfUse: Whether the response is worth waiting for, when its head has arrived.
    func outcome(while isOfUse: (StoredResponse) -> Bool = { _ in true }) async throws -> InFlightFetch.State.Outcome {
        try await fetch.outcome(for: id, while: isOfUse)
    }
}

extension HTTPBody {
    /// The body of a fetch, which its caller reads while it is stored.
    ///
    /// The caller's position passes to the first iterator: a caller that stops reading leaves, although the response is
    /// still held. Another iterator fails, because an empty body would look complete.
    init(of caller: InFlightCaller, size: Int64?) {
        let position = CallerPosition(caller)
        self.init(InFlightPieces(position: position, request: caller.fetch.request), size: size) { position.trailers }
    }
}

private final class CallerPosition: Sendable {
    private let state: Mutex<(caller: InFlightCaller?, trailers: HTTPFields)>

    init(_ caller: InFlightCaller) {
        state = Mutex((caller, HTTPFields()))
    }

    var trailers: HTTPFields {
        get { state.withLock(\.trailers) }
        set { state.withLock { $0.trailers = newValue } }
    }

    func take() -> InFlightCaller? { state.withLock { $0.caller.take() } }
}

private struct InFlightPieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let caller: InFlightCaller?
        let pieces: InFlightPieces

        mutating func next() async throws -> Data? {
            guard let caller else { throw HTTPCacheError.bodyReadBefore(url: pieces.request.loggableURL) }
            switch try await caller.nextPiece() {
            case .piece(let piece):
                return piece
            case .end(let end):
                pieces.position.trailers = try end.get()
                return nil
            }
        }
    }

    let position: CallerPosition
    let request: HTTPRequest

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(caller: position.take(), pieces: self)
    }
}
