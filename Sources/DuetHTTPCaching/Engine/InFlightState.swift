package import Foundation
package import HTTPTypes

/// The state of one request to the origin: its caller, which reads the body as it arrives, and its subscribers, which
/// wait until the response is stored.
///
/// The body is read as the caller asks for it, and without waiting for anyone once the caller has left. When nobody is
/// left, the fetch is abandoned. Pure: it returns the waiters to resume, and resumes none.
package struct InFlightState<Response: Sendable, Waiter: Sendable>: Sendable {
    /// What the fetch means for its subscribers.
    package enum Outcome: Sendable {
        /// The response is being stored.
        case storing(StoredResponse)
        /// A response that answers others is stored.
        case stored(CacheStatus)
        /// No such response will be stored, so that each subscriber has to fetch for itself.
        case notStored
        /// The origin failed, with this status code if it responded. A stale response may be served instead.
        case originFailed(Int?)
        case failed(any Error)
    }

    /// How far a fetch has come for its subscribers.
    package enum Stage: Sendable {
        case requested, storing, ended
    }

    /// What the caller finds next of the body.
    package enum Next: Sendable {
        case piece(Data)
        case end(Result<HTTPFields, any Error>)
    }

    /// What follows from a change: who is to be resumed, and whether the fetch is to be cancelled.
    package struct Effects: Sendable {
        package fileprivate(set) var waiters: [Waiter] = []
        package fileprivate(set) var cancelsFetch = false
    }

    private var hasCaller: Bool
    private var caller: Waiter?
    /// The waiter of each subscriber that waits.
    private var subscribers: [Int: Waiter?] = [:]
    private var lastID = 0
    /// The fetch itself, while it waits until more of the body is wanted.
    private var source: Waiter?
    /// For the caller, until it has it.
    private var response: Result<Response, any Error>?
    private var piece: Data?
    private var end: Result<HTTPFields, any Error>?
    package private(set) var outcome: Outcome?
    package private(set) var isAbandoned = false

    package init(hasCaller: Bool = true) {
        self.hasCaller = hasCaller
    }

    package var stage: Stage {
        switch outcome {
        case nil: .requested
        case .storing: .storing
        default: .ended
        }
    }

    // MARK: The caller

    package mutating func takeResponse() -> Result<Response, any Error>? { response.take() }

    package mutating func takeNext() -> Next? {
        if let piece = piece.take() { return .piece(piece) }
        return end.map(Next.end)
    }

    /// Registers the caller as a waiter for the response; false if it is there already.
    package mutating func waitForResponse(_ waiter: Waiter) -> Bool {
        guard response == nil else { return false }
        caller = waiter
        return true
    }

    /// Registers the caller as a waiter for the next piece or the end; false if it is there already.
    package mutating func waitForNext(_ waiter: Waiter) -> (isWaiting: Bool, effects: Effects) {
        guard piece == nil, end == nil else { return (false, Effects()) }
        caller = waiter
        return (true, wakingSource())
    }

    package mutating func stopWaitingAsCaller() -> Waiter? { caller.take() }

    package mutating func leaveAsCaller() -> Effects {
        (hasCaller, caller, response, piece) = (false, nil, nil, nil)
        return abandoningIfUnused()
    }

    // MARK: Subscribers

    /// Adds a subscriber; nil if there is nothing to wait for any more.
    package mutating func subscribe() -> Int? {
        guard !isAbandoned, stage != .ended else { return nil }
        lastID += 1
        subscribers.updateValue(nil, forKey: lastID)
        return lastID
    }

    /// Registers a subscriber as a waiter for a later stage; false if that has been reached.
    package mutating func wait(_ id: Int, after stage: Stage, _ waiter: Waiter) -> Bool {
        guard self.stage == stage, subscribers[id] != nil else { return false }
        subscribers.updateValue(waiter, forKey: id)
        return true
    }

    package mutating func stopWaiting(_ id: Int) -> Waiter? {
        guard let waiter = subscribers[id] else { return nil }
        subscribers.updateValue(nil, forKey: id)
        return waiter
    }

    package mutating func unsubscribe(_ id: Int) -> Effects {
        subscribers[id] = nil
        return abandoningIfUnused()
    }

    // MARK: The fetch

    /// Gives the caller its response, and the subscribers the outcome as far as it is known.
    package mutating func respond(_ response: Result<Response, any Error>, _ outcome: Outcome) -> Effects {
        if hasCaller { self.response = response }
        return change(to: outcome)
    }

    package mutating func change(to outcome: Outcome) -> Effects {
        self.outcome = outcome
        var effects = Effects()
        if response != nil || piece != nil || end != nil, let caller = caller.take() { effects.waiters.append(caller) }
        for (id, waiter) in subscribers {
            guard let waiter else { continue }
            effects.waiters.append(waiter)
            subscribers.updateValue(nil, forKey: id)
        }
        return effects
    }

    /// Whether more of the body is to be read.
    package var isWanted: Bool {
        guard !isAbandoned else { return false }
        return hasCaller ? caller != nil : !subscribers.isEmpty
    }

    /// Registers the fetch as a waiter until more of the body is wanted; false if it is, or never will be.
    package mutating func waitAsSource(_ waiter: Waiter) -> Bool {
        guard !isWanted, !isAbandoned else { return false }
        source = waiter
        return true
    }

    package mutating func stopWaitingAsSource() -> Waiter? { source.take() }

    package mutating func push(_ piece: Data) -> Effects {
        guard hasCaller else { return Effects() }
        self.piece = piece
        return Effects(waiters: caller.take().map { [$0] } ?? [])
    }

    /// Ends the body; the trailers follow a complete one.
    package mutating func finish(_ end: Result<HTTPFields, any Error>, _ outcome: Outcome) -> Effects {
        self.end = end
        return change(to: outcome)
    }

    private mutating func abandoningIfUnused() -> Effects {
        guard !hasCaller, subscribers.isEmpty else { return wakingSource() }
        isAbandoned = true
        return Effects(waiters: source.take().map { [$0] } ?? [], cancelsFetch: true)
    }

    private mutating func wakingSource() -> Effects {
        guard isWanted, let source = source.take() else { return Effects() }
        return Effects(waiters: [source])
    }
}
