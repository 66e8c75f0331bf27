package import Foundation

/// What has come of one load, and how far each of those who read it has come.
///
/// Pure: it says who is to be woken and wakes nobody. The source is asked for more only when a reader waits. All pieces are
/// kept until there are more bytes than the limit, so that who comes late can begin at the beginning; from then on, or when
/// nobody is to join any more, what everybody has taken goes. Nobody is held up: who is further behind the first than the limit
/// is left behind, and reads on from where the load is recorded. What has been shrunk keeps a sixteenth of that, whoever has
/// not taken the rest.
package struct LoadLine<Outcome: Sendable, Waiter: Sendable>: Sendable {
    private struct Participant {
        let id: Int
        /// The number of pieces taken.
        var position = 0
        var waiter: Waiter?
    }

    /// What a participant waits for.
    package enum Awaited: Sendable {
        case outcome
        case piece
        /// That all is read.
        case end
    }

    /// What a reader finds.
    package enum Taken {
        case piece(Data)
        /// What comes next has gone.
        case behind
        case end
        case failure(any Error)
    }

    /// How many pieces are held: each takes some memory, however few bytes it has.
    private static var maximumPieces: Int { 16_384 }

    /// How many bytes that nobody has taken are held at least, for whoever is about to.
    private static var minimumUntaken: Int { 131_072 }

    private let limit: Int
    /// Whether what is read is being stored, so that who is left behind can have the rest.
    package private(set) var isRecorded = false
    private var isShrunk = false
    /// In the order in which they came, which is that of their ids.
    private var participants: [Participant] = []
    private var lastID = 0
    /// Whether nobody is left to be served.
    package private(set) var isGivenUp = false
    private var pump: Waiter?

    /// Whether all is read.
    package var isEnded: Bool { end != nil }

    /// Why the rest does not come, if it does not.
    package var failure: (any Error)? {
        if case .failure(let error)? = end { error } else { nil }
    }

    package private(set) var outcome: Result<Outcome, any Error>?
    private var pieces: [Data] = []
    private var dropped = 0
    /// How many bytes are held.
    package private(set) var kept = 0

    /// How many of them count towards what all loads may hold together: none of those that are held after it has been shrunk.
    package var counted: Int { isShrunk ? 0 : kept }

    private var isClosed = false
    private var end: Result<Void, any Error>?

    package init(limit: Int) {
        self.limit = limit
    }

    /// One more who waits or reads; nil when it is too late to begin at the beginning.
    package mutating func join() -> Int? {
        guard !isGivenUp, !isClosed else { return nil }
        lastID += 1
        participants.append(Participant(id: lastID))
        return lastID
    }

    /// Lets nobody join any more.
    package mutating func close() {
        isClosed = true
        trim()
    }

    /// Says that what is read is being stored.
    package mutating func markRecorded() {
        isRecorded = true
        trim()
    }

    /// Says that what is read will not be stored after all; true when nobody is left who can be served.
    package mutating func markUnrecorded() -> (isGivenUp: Bool, pump: Waiter?) {
        isRecorded = false
        return giveUp()
    }

    /// Lets nobody join any more, and holds less for who is slow; true when nobody is left who can be served.
    package mutating func shrink() -> (isGivenUp: Bool, pump: Waiter?) {
        isShrunk = true
        close()
        return giveUp()
    }

    /// Who leaves need not be woken; true when nobody is left who can be served, so that the load is to be given up.
    package mutating func leave(_ id: Int) -> (isGivenUp: Bool, pump: Waiter?) {
        guard let index = index(of: id) else { return (false, nil) }
        participants.remove(at: index)
        trim()
        return giveUp()
    }

    private mutating func giveUp() -> (isGivenUp: Bool, pump: Waiter?) {
        isGivenUp = participants.isEmpty || !isRecorded && !isLed
        return (isGivenUp, pumpToWake())
    }

    /// What a reader finds at its place, or nil when it has to wait.
    package mutating func take(_ id: Int) -> Taken? {
        guard let index = index(of: id) else { return .end }
        let position = participants[index].position
        guard position >= dropped else { return .behind }
        if position < dropped + pieces.count {
            defer {
                participants[index].position += 1
                trim()
            }
            return .piece(pieces[position - dropped])
        }
        return switch end {
        case nil: nil
        case .success: .end
        case .failure(let error): .failure(error)
        }
    }

    /// Whether what comes next for a participant has gone.
    package func isBehind(_ id: Int) -> Bool {
        index(of: id).map { participants[$0].position < dropped } ?? false
    }

    /// Lets a participant wait; it is told in vain where there is something for it already.
    package mutating func wait(_ id: Int, for awaited: Awaited, _ waiter: Waiter) -> (isToWait: Bool, pump: Waiter?) {
        guard let index = index(of: id), !isThere(awaited, at: participants[index].position) else {
            return (false, nil)
        }
        participants[index].waiter = waiter
        return (true, pumpToWake())
    }

    private func isThere(_ awaited: Awaited, at position: Int) -> Bool {
        switch awaited {
        case .outcome: outcome != nil
        case .piece: end != nil || position < dropped + pieces.count
        case .end: end != nil
        }
    }

    /// Ends a wait that was cancelled.
    package mutating func stopWaiting(_ id: Int) -> Waiter? {
        index(of: id).flatMap { participants[$0].waiter.take() }
    }

    /// Those who are to be woken because the head is there, or never will be.
    package mutating func resolve(_ outcome: Result<Outcome, any Error>) -> [Waiter] {
        self.outcome = outcome
        return waiters()
    }

    /// Whether the source is to be asked for more; otherwise its waiter is woken when it is.
    ///
    /// Who is left behind waits for others to read, since nothing is held for it, and for the store alone when they have gone.
    package func mayRead() -> Bool {
        let servesBehind = isRecorded && !isLed
        return !isGivenUp && participants.contains { $0.waiter != nil && (servesBehind || $0.position >= dropped) }
    }

    /// Whether anybody reads who is not left behind.
    private var isLed: Bool { participants.contains { $0.position >= dropped } }

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
        if kept > limit || pieces.count > Self.maximumPieces { isClosed = true }
        trim()
        return waiters()
    }

    /// - Parameter isStored: Whether all that was read is stored by now.
    package mutating func finish(_ end: Result<Void, any Error>, isStored: Bool = false) -> [Waiter] {
        self.end = end
        isRecorded = isStored
        return waiters()
    }

    private func index(of id: Int) -> Int? {
        var range = participants.indices
        while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
            if participants[middle].id == id { return middle }
            range = participants[middle].id < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    private mutating func waiters() -> [Waiter] {
        participants.indices.compactMap { participants[$0].waiter.take() }
    }

    private mutating func pumpToWake() -> Waiter? {
        guard pump != nil, mayRead() || isGivenUp else { return nil }
        return stopWaitingToRead()
    }

    /// Lets go of what everybody has taken, once nobody can begin at the beginning any more; and beyond the limit of what the
    /// first has taken, or nobody, when it has been shrunk.
    private mutating func trim() {
        guard isClosed, !pieces.isEmpty else { return }
        let next = dropped + pieces.count
        var (first, last) = (dropped, next)
        for participant in participants where participant.position >= dropped {
            first = max(first, participant.position)
            last = min(last, participant.position)
        }
        let limit = isShrunk ? limit / 16 : limit
        // Mostly somebody has not taken the first piece, and it fits.
        guard last > dropped || kept > limit || pieces.count > Self.maximumPieces else { return }
        var count = last - dropped
        var left = kept - pieces.prefix(count).reduce(0) { $0 + $1.count }
        while dropped + count < (isShrunk ? next : first) {
            let rest = left - pieces[count].count
            let isTaken = dropped + count < first
            guard
                rest >= (isTaken ? limit : max(limit, Self.minimumUntaken))
                    || isTaken && pieces.count - count > Self.maximumPieces
            else { break }
            left = rest
            count += 1
        }
        guard count > 0 else { return }
        pieces.removeFirst(count)
        dropped += count
        kept = left
    }
}
