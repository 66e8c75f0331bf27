package import Foundation

/// What has come of one load, and how far each of those who read it has come.
///
/// Pure: it says who is to be woken and wakes nobody. The source is asked for more only when a reader waits, and not while the
/// slowest has still to take what was kept for it. All pieces are kept until there are more bytes than the limit, so that
/// who comes late can begin at the beginning.
package struct LoadLine<Outcome: Sendable, Waiter: Sendable>: Sendable {
    private struct Participant {
        /// The number of pieces taken.
        var position = 0
        var waiter: Waiter?
    }

    /// What a reader finds.
    package enum Taken {
        case piece(Data)
        case end
        case failure(any Error)
    }

    private let limit: Int
    private var participants: [Int: Participant] = [:]
    private var lastID = 0
    private var isGivenUp = false
    private var pump: Waiter?

    package private(set) var outcome: Result<Outcome, any Error>?
    private var pieces: [Data] = []
    private var dropped = 0
    private var kept = 0
    private var isLong = false
    private var end: Result<Void, any Error>?

    package init(limit: Int) {
        self.limit = limit
    }

    /// One more who waits or reads; nil when it is too late to begin at the beginning.
    package mutating func join() -> Int? {
        guard !isGivenUp, !isLong else { return nil }
        lastID += 1
        participants[lastID] = Participant()
        return lastID
    }

    /// Who leaves need not be woken; true when nobody is left, so that the load is to be given up.
    package mutating func leave(_ id: Int) -> (isGivenUp: Bool, pump: Waiter?) {
        guard participants.removeValue(forKey: id) != nil else { return (false, nil) }
        if participants.isEmpty { isGivenUp = true }
        return (participants.isEmpty, pumpToWake())
    }

    /// What a reader finds at its place, or nil when it has to wait.
    package mutating func take(_ id: Int) -> (taken: Taken?, pump: Waiter?) {
        guard let participant = participants[id] else { return (.end, nil) }
        if participant.position < dropped + pieces.count {
            let piece = pieces[participant.position - dropped]
            participants[id]?.position += 1
            return (.piece(piece), pumpToWake())
        }
        switch end {
        case nil: return (nil, nil)
        case .success: return (.end, nil)
        case .failure(let error): return (.failure(error), nil)
        }
    }

    /// Lets a participant wait; it is told in vain where there is something for it already.
    package mutating func wait(_ id: Int, _ waiter: Waiter) -> (isToWait: Bool, pump: Waiter?) {
        guard let participant = participants[id] else { return (false, nil) }
        let isReading = outcome != nil
        if isReading, end != nil || participant.position < dropped + pieces.count { return (false, nil) }
        participants[id]?.waiter = waiter
        return (true, pumpToWake())
    }

    /// Lets a participant wait until there is an outcome.
    package mutating func waitForOutcome(_ id: Int, _ waiter: Waiter) -> Bool {
        guard outcome == nil, participants[id] != nil else { return false }
        participants[id]?.waiter = waiter
        return true
    }

    /// Ends a wait that was cancelled.
    package mutating func stopWaiting(_ id: Int) -> Waiter? {
        defer { participants[id]?.waiter = nil }
        return participants[id]?.waiter
    }

    /// Those who are to be woken because the head is there, or never will be.
    package mutating func resolve(_ outcome: Result<Outcome, any Error>) -> [Waiter] {
        self.outcome = outcome
        return waiters()
    }

    /// Whether the source is to be asked for more; otherwise its waiter is woken when it is.
    package mutating func mayRead() -> Bool {
        trim()
        return !isGivenUp && participants.values.contains { $0.waiter != nil } && (kept < limit || pieces.isEmpty)
    }

    package mutating func waitToRead(_ waiter: Waiter) -> Bool {
        guard !isGivenUp, !mayRead() else { return false }
        pump = waiter
        return true
    }

    package mutating func stopWaitingToRead() -> Waiter? {
        defer { pump = nil }
        return pump
    }

    package mutating func push(_ piece: Data) -> [Waiter] {
        pieces.append(piece)
        kept += piece.count
        if dropped == 0, kept > limit { isLong = true }
        return waiters()
    }

    package mutating func finish(_ end: Result<Void, any Error>) -> [Waiter] {
        self.end = end
        return waiters()
    }

    private mutating func waiters() -> [Waiter] {
        let waiting = participants.compactMap { id, participant in participant.waiter.map { (id, $0) } }
        for (id, _) in waiting { participants[id]?.waiter = nil }
        return waiting.map(\.1)
    }

    private mutating func pumpToWake() -> Waiter? {
        guard pump != nil, mayRead() || isGivenUp else { return nil }
        return stopWaitingToRead()
    }

    /// Lets go of what everybody has taken, once nobody can begin at the beginning any more.
    private mutating func trim() {
        guard isLong, let slowest = participants.values.map(\.position).min(), slowest > dropped else { return }
        kept -= pieces.prefix(slowest - dropped).reduce(0) { $0 + $1.count }
        pieces.removeFirst(slowest - dropped)
        dropped = slowest
    }
}
