import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// One request to the origin, in its own task.
///
/// The request that began it is its caller, and reads the body as it arrives. Other requests subscribe, and wait until
/// the response is stored. The task is canceled when the caller and all subscribers have left.
final class InFlightFetch: Sendable {
    /// The result of the fetch for its subscribers.
    enum Outcome: Sendable {
        /// The response is being stored.
        case storing(StoredResponse)
        /// The response is stored and can be used for other requests.
        case stored(CacheStatus)
        /// Each subscriber has to send its own request.
        case notStored
        /// The origin failed, with this status code if it responded. A stale response may be served instead.
        case originFailed(Int?)
        case failed(any Error)

        /// Whether subscribers get a response from the fetch.
        var isShared: Bool {
            if case .notStored = self { false } else { true }
        }
    }

    private struct State: Sendable {
        var hasCaller = true
        var subscribers = 0
        var response: Result<CacheResponse, any Error>?
        /// Whether the caller waits for more of the body.
        var isWaiting = false
        var piece: Data?
        var end: Result<HTTPFields, any Error>?
        var outcome: Outcome?

        var isAbandoned: Bool { !hasCaller && subscribers == 0 }

        /// Whether to read more of the body: as the caller asks for it or, without a caller, at once.
        var wantsMore: Bool { !isAbandoned && (!hasCaller || isWaiting && piece == nil) }

        mutating func next() -> Piece? {
            if let piece = piece.take() {
                isWaiting = false
                return .data(piece)
            }
            isWaiting = end == nil
            return end.map(Piece.end)
        }
    }

    /// A piece of the body, or its end with the trailers.
    fileprivate enum Piece: Sendable {
        case data(Data)
        case end(Result<HTTPFields, any Error>)
    }

    let request: HTTPRequest
    private let state = Monitor(State())
    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// Creates a fetch, whose caller is an ``InFlightCaller``.
    init(of request: HTTPRequest) {
        self.request = request
    }

    func start(_ operation: @escaping @Sendable @concurrent (InFlightFetch) async -> Void) {
        let task = Task.startingHere { await operation(self) }
        self.task.withLock { $0 = task }
    }

    /// Waits until the task has ended, unless it is still in use.
    func ended() async {
        guard state.read(\.isAbandoned) else { return }
        _ = await task.withLock { $0 }?.result
    }

    // MARK: The fetch

    func respond(_ response: Result<CacheResponse, any Error>, _ outcome: Outcome) {
        state.update { state in
            if state.hasCaller { state.response = response }
            state.outcome = outcome
        }
    }

    func finish(_ end: Result<HTTPFields, any Error>, _ outcome: Outcome) {
        state.update { state in
            state.end = end
            state.outcome = outcome
        }
    }

    /// Forwards the body to the caller as it asks for more, and stores it.
    ///
    /// The last piece of a body of known length is forwarded after the response is stored, so that a caller that has
    /// the whole body finds the response in the store.
    ///
    /// - Returns: How the body ended, and why the response is not stored, if it is not. ``finish(_:_:)`` must follow.
    func forward(_ body: HTTPBody, storing fill: Fill) async -> (
        end: Result<HTTPFields, any Error>, refusal: NotStored?
    ) {
        var fill = fill
        var last: Data?
        defer { if let last { push(last) } }
        do {
            var iterator = body.makeAsyncIterator()
            while true {
                if last == nil { try await state.wait { $0.wantsMore ? () : nil } }
                guard let piece = try await iterator.next() else { break }
                if fill.count + Int64(piece.count) == body.size { last = piece } else { push(piece) }
                await fill.append(piece)
                if !fill.mayBeStored { stopStoring() }
            }
            // A source may end without an error when its task is canceled. What was read would look complete.
            try Task.checkCancellation()
            return (.success(body.trailers), await fill.finish(completely: true))
        } catch {
            let isTooLong = error.wrongBodyLength?.isTooLong == true
            // In another task, because this one may be canceled.
            let refusal = await Task { [fill] in
                if isTooLong { await fill.refuse() } else { await fill.finish(completely: false) }
            }
            .value
            return (.failure(error), refusal ?? .incomplete)
        }
    }

    private func push(_ piece: Data) {
        state.update { if $0.hasCaller { $0.piece = piece } }
    }

    private func stopStoring() {
        state.update { state in
            if case .storing? = state.outcome { state.outcome = .notStored }
        }
    }

    // MARK: The caller and the subscribers

    fileprivate func response() async throws -> CacheResponse {
        try await state.wait { $0.response.take() }.get()
    }

    fileprivate func next() async throws -> Piece {
        try await state.wait { $0.next() }
    }

    fileprivate func leave() {
        cancelIfAbandoned { state in
            state.hasCaller = false
            state.response = nil
            state.piece = nil
        }
    }

    /// Adds a subscriber, or returns nil if the fetch has ended.
    func subscribe() -> InFlightSubscription? {
        let isSubscribed = state.update { state in
            switch state.outcome {
            case nil, .storing?: break
            default: return false
            }
            guard !state.isAbandoned else { return false }
            state.subscribers += 1
            return true
        }
        return isSubscribed ? InFlightSubscription(self) : nil
    }

    fileprivate func outcome(while isUsable: (StoredResponse) -> Bool) async throws -> Outcome {
        let outcome = try await state.wait(for: \.outcome)
        guard case .storing(let response) = outcome, isUsable(response) else { return outcome }
        return try await state.wait { state in
            if case .storing? = state.outcome { nil } else { state.outcome }
        }
    }

    fileprivate func unsubscribe() {
        cancelIfAbandoned { $0.subscribers -= 1 }
    }

    private func cancelIfAbandoned(after leave: (inout State) -> Void) {
        let isAbandoned = state.update { state in
            leave(&state)
            return state.isAbandoned
        }
        if isAbandoned { task.withLock { $0 }?.cancel() }
    }
}

/// The position of the caller of a fetch, which leaves when this is released.
final class InFlightCaller: Sendable {
    let fetch: InFlightFetch

    init(_ fetch: InFlightFetch) {
        self.fetch = fetch
    }

    deinit {
        fetch.leave()
    }

    func response() async throws -> CacheResponse { try await fetch.response() }
    fileprivate func next() async throws -> InFlightFetch.Piece { try await fetch.next() }
}

/// The position of a request that waits for the fetch of another one, which leaves when this is released.
final class InFlightSubscription: Sendable {
    let fetch: InFlightFetch

    fileprivate init(_ fetch: InFlightFetch) {
        self.fetch = fetch
    }

    deinit {
        fetch.unsubscribe()
    }

    /// Waits until the response is stored, or will not be.
    ///
    /// - Parameter isUsable: Whether the response is worth waiting for, once its head has arrived.
    func outcome(while isUsable: (StoredResponse) -> Bool = { _ in true }) async throws -> InFlightFetch.Outcome {
        try await fetch.outcome(while: isUsable)
    }
}

extension HTTPBody {
    /// The body of a fetch, which its caller reads while it is stored.
    ///
    /// The caller's position passes to the first iterator: a caller that stops reading leaves, although it still holds
    /// the response. A second iterator fails, because an empty body would look complete.
    init(of caller: InFlightCaller, size: Int64?) {
        let pieces = InFlightPieces(caller)
        self.init(pieces, size: size) { pieces.state.withLock(\.trailers) }
    }
}

private final class InFlightPieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let caller: InFlightCaller?
        let pieces: InFlightPieces

        mutating func next() async throws -> Data? {
            guard let caller else { throw HTTPCacheError.bodyReadBefore(url: pieces.request.loggableURL) }
            switch try await caller.next() {
            case .data(let data):
                return data
            case .end(let end):
                let trailers = try end.get()
                pieces.state.withLock { $0.trailers = trailers }
                return nil
            }
        }
    }

    let request: HTTPRequest
    let state: Mutex<(caller: InFlightCaller?, trailers: HTTPFields)>

    init(_ caller: InFlightCaller) {
        request = caller.fetch.request
        state = Mutex((caller, HTTPFields()))
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(caller: state.withLock { $0.caller.take() }, pieces: self)
    }
}
