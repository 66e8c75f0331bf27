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

    /// The state that the fetch and its caller share.
    private struct Exchange: Sendable {
        var hasCaller = true
        var response: Result<CacheResponse, any Error>?
        /// Whether the caller waits for more of the body.
        var isWaiting = false
        var piece: Data?
        var end: Result<HTTPFields, any Error>?

        /// Whether to read more of the body: as the caller asks for it or, without a caller, at once.
        var wantsMore: Bool { !hasCaller || isWaiting && piece == nil }

        mutating func next() -> Piece? {
            piece.take().map(Piece.data) ?? end.map(Piece.end)
        }
    }

    /// The state that the fetch and its subscribers share.
    private struct Sharing: Sendable {
        var hasCaller = true
        var subscribers = 0
        var outcome: Outcome?

        var isAbandoned: Bool { !hasCaller && subscribers == 0 }
    }

    /// A piece of the body, or its end with the trailers.
    enum Piece: Sendable {
        case data(Data)
        case end(Result<HTTPFields, any Error>)
    }

    let request: HTTPRequest
    private let exchange = Monitor(Exchange())
    private let sharing = Monitor(Sharing())
    private let task = Mutex<Task<Void, any Error>?>(nil)

    init(of request: HTTPRequest) {
        self.request = request
    }

    func start(_ operation: @escaping @Sendable @concurrent (InFlightFetch) async -> Void) {
        let task = Task.startingHere { await operation(self) }
        self.task.withLock { $0 = task }
    }

    /// Waits until the task has ended, unless it is still in use.
    func ended() async {
        guard sharing.read(\.isAbandoned) else { return }
        _ = await task.withLock { $0 }?.result
    }

    // MARK: The fetch

    func respond(_ response: Result<CacheResponse, any Error>, _ outcome: Outcome) {
        sharing.update { $0.outcome = outcome }
        exchange.update { if $0.hasCaller { $0.response = response } }
    }

    func finish(_ end: Result<HTTPFields, any Error>, _ outcome: Outcome) {
        sharing.update { $0.outcome = outcome }
        exchange.update { $0.end = end }
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
                if last == nil { try await exchange.wait { $0.wantsMore ? () : nil } }
                guard let piece = try await iterator.next() else { break }
                if fill.count + Int64(piece.count) == body.size { last = piece } else { push(piece) }
                await fill.append(piece)
                if !fill.mayBeStored { stopStoring() }
            }
            // A source may end without an error when its task is canceled. The bytes so far would look complete.
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
        exchange.update { if $0.hasCaller { $0.piece = piece } }
    }

    private func stopStoring() {
        sharing.update { sharing in
            if case .storing? = sharing.outcome { sharing.outcome = .notStored }
        }
    }

    // MARK: The caller and the subscribers

    func response() async throws -> CacheResponse {
        try await exchange.wait { $0.response.take() }.get()
    }

    func next() async throws -> Piece {
        exchange.update { $0.isWaiting = true }
        defer { exchange.update { $0.isWaiting = false } }
        return try await exchange.wait { $0.next() }
    }

    /// Adds a subscriber, or returns nil if the fetch has ended.
    func subscribe() -> InFlightPosition? {
        let isSubscribed = sharing.update { sharing in
            switch sharing.outcome {
            case nil, .storing?: break
            default: return false
            }
            guard !sharing.isAbandoned else { return false }
            sharing.subscribers += 1
            return true
        }
        return isSubscribed ? InFlightPosition(in: self) { $0.unsubscribe() } : nil
    }

    /// Waits until the response is stored, or will not be.
    ///
    /// - Parameter isUsable: Whether the response is worth waiting for, once its head has arrived.
    func outcome(while isUsable: (StoredResponse) -> Bool = { _ in true }) async throws -> Outcome {
        let outcome = try await sharing.wait(for: \.outcome)
        guard case .storing(let response) = outcome, isUsable(response) else { return outcome }
        return try await sharing.wait { sharing in
            if case .storing? = sharing.outcome { nil } else { sharing.outcome }
        }
    }

    fileprivate func leave() {
        cancelIfAbandoned { $0.hasCaller = false }
        exchange.update { exchange in
            exchange.hasCaller = false
            exchange.response = nil
            exchange.piece = nil
        }
    }

    private func unsubscribe() {
        cancelIfAbandoned { $0.subscribers -= 1 }
    }

    private func cancelIfAbandoned(after change: (inout Sharing) -> Void) {
        let isAbandoned = sharing.update { sharing in
            change(&sharing)
            return sharing.isAbandoned
        }
        if isAbandoned { task.withLock { $0 }?.cancel() }
    }
}

/// The position of the caller or of a subscriber of a fetch, which leaves when this is released.
final class InFlightPosition: Sendable {
    let fetch: InFlightFetch
    private let leave: @Sendable (InFlightFetch) -> Void

    /// Creates the position of the caller of a new fetch.
    convenience init(ofCallerFor request: HTTPRequest) {
        self.init(in: InFlightFetch(of: request)) { $0.leave() }
    }

    fileprivate init(in fetch: InFlightFetch, leave: @escaping @Sendable (InFlightFetch) -> Void) {
        self.fetch = fetch
        self.leave = leave
    }

    deinit {
        leave(fetch)
    }
}

extension HTTPBody {
    /// The body of a fetch, which its caller reads while it is stored.
    ///
    /// The caller's position passes to the first iterator: a caller that stops reading leaves, although it still holds
    /// the response. A second iterator fails, because an empty body would look complete.
    init(of caller: InFlightPosition, size: Int64?) {
        let pieces = InFlightPieces(caller)
        self.init(pieces, size: size) { pieces.state.withLock(\.trailers) }
    }
}

private final class InFlightPieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        let caller: InFlightPosition?
        let pieces: InFlightPieces

        mutating func next() async throws -> Data? {
            guard let caller else { throw HTTPCacheError.bodyReadBefore(url: pieces.request.loggableURL) }
            switch try await caller.fetch.next() {
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
    let state: Mutex<(caller: InFlightPosition?, trailers: HTTPFields)>

    init(_ caller: InFlightPosition) {
        request = caller.fetch.request
        state = Mutex((caller, HTTPFields()))
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(caller: state.withLock { $0.caller.take() }, pieces: self)
    }
}
