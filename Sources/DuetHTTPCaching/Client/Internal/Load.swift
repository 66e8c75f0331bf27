import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// One exchange with the origin, whose head and body go to all who take part in it.
///
/// It runs in a task of its own, which none of them ends by leaving, and which is cancelled when the last one leaves.
final class Load: Sendable {
    /// One who waits; a class, because a continuation is slow to be copied.
    final class Waiter: Sendable {
        private let continuation: CheckedContinuation<Void, any Error>

        init(_ continuation: CheckedContinuation<Void, any Error>) {
            self.continuation = continuation
        }

        func resume(with result: Result<Void, any Error> = .success(())) {
            continuation.resume(with: result)
        }
    }

    let request: HTTPRequest
    private let limit: Int
    /// Where what is held is counted; nil for what nobody joins, of which no more is held than its reader is about to take.
    private let table: LoadTable?
    private let line: Mutex<LoadLine<LoadOutcome, Waiter>>
    private let task = Mutex<Task<Void, any Error>?>(nil)
    /// The fields that followed the body, and where it is stored, from when all of it has been read.
    private let afterBody = Mutex((trailers: HTTPFields(), stored: StoredBody?.none))

    var trailers: HTTPFields { afterBody.withLock(\.trailers) }

    /// - Parameter limit: How many bytes are held for those who come late or read slowly.
    init(of request: HTTPRequest, limit: Int, in table: LoadTable? = nil) {
        self.request = request
        self.limit = limit
        self.table = table
        line = Mutex(LoadLine(limit: limit))
    }

    deinit {
        table?.forget(ObjectIdentifier(self))
        table?.hold(-line.withLock(\.counted), limit: limit)
    }

    /// Begins the load; once, by the first who takes part.
    func start(_ operation: @escaping @Sendable @concurrent (Load) async -> Void) {
        let task = Task.startingHere { await operation(self) }
        self.task.withLock { $0 = task }
    }

    /// Waits until all is done that the load does after its last reader; not while there are others.
    func ended() async {
        guard line.withLock(\.isGivenUp) else { return }
        _ = await task.withLock { $0 }?.result
    }

    /// Lets nobody join any more, so that what everybody has taken need not be kept.
    func close() {
        counting { $0.close() }
    }

    /// Lets nobody join any more, and holds less for those who are slow, which is not counted.
    func shrink() {
        end(counting { $0.shrink() })
    }

    /// One more who takes part; nil when it is too late.
    func join() -> LoadParticipant? {
        line.withLock { $0.join() }.map { LoadParticipant(load: self, id: $0) }
    }

    // What the load does.

    /// Whether what comes is being stored.
    var isRecorded: Bool { line.withLock(\.isRecorded) }

    /// Says that what comes is being stored.
    func markRecorded() {
        counting { $0.markRecorded() }
    }

    /// Says that what comes will not be stored after all.
    func markUnrecorded() {
        end(line.withLock { $0.markUnrecorded() })
    }

    func resolve(_ outcome: Result<LoadOutcome, any Error>) {
        line.withLock { $0.resolve(outcome) }.resume()
    }

    func push(_ piece: Data) {
        counting { $0.push(piece) }.resume()
    }

    func keep(_ trailers: HTTPFields, _ stored: StoredBody?) {
        afterBody.withLock { $0 = (trailers, stored) }
    }

    func finish(_ end: Result<Void, any Error>) {
        let isStored = afterBody.withLock { $0.stored != nil }
        line.withLock { $0.finish(end, isStored: isStored) }.resume()
    }

    /// Waits until a reader wants more.
    ///
    /// - Throws: `CancellationError` when nobody is left.
    func demand() async throws {
        while !line.withLock({ $0.mayRead() }) {
            // Perhaps before there was a task to be cancelled.
            if line.withLock(\.isGivenUp) { throw CancellationError() }
            try await wait { line, waiter in
                (line.waitToRead(waiter), nil)
            } stop: {
                $0.stopWaitingToRead()
            }
        }
    }

    // What those do who take part.

    func outcome(for id: Int) async throws -> LoadOutcome {
        while true {
            if let outcome = line.withLock({ $0.outcome }) { return try outcome.get() }
            try await wait(id, for: .outcome)
        }
    }

    func next(for id: Int) async throws -> Data? {
        while true {
            switch counting({ $0.take(id) }) {
            case .piece(let piece)?: return piece
            case .behind?: throw LeftBehind()
            case .end?: return nil
            case .failure(let error)?: throw error
            case nil: try await wait(id, for: .piece)
            }
        }
    }

    func isBehind(_ id: Int) -> Bool {
        line.withLock { $0.isBehind(id) }
    }

    /// What is left for who is left behind, from the store when all is stored.
    ///
    /// - Throws: Why the rest did not come; ``HTTPCacheError`` when it was not stored; `CancellationError`.
    func rest(from start: Int64, for id: Int) async throws -> HTTPBody {
        while !line.withLock(\.isEnded) { try await wait(id, for: .end) }
        guard let rest = await afterBody.withLock(\.stored)?.rest(from: start) else {
            // It was cancelled when nobody was left but those left behind.
            if let failure = line.withLock(\.failure), !(failure is CancellationError) { throw failure }
            throw HTTPCacheError.leftBehind(url: request.loggableURL, limit: limit)
        }
        return rest
    }

    func leave(_ id: Int) {
        end(counting { $0.leave(id) })
    }

    /// Ends what nobody is left for, which waits perhaps until somebody wants more.
    private func end(_ left: (isGivenUp: Bool, pump: Waiter?)) {
        if left.isGivenUp { task.withLock { $0 }?.cancel() }
        left.pump?.resume()
    }

    /// Changes what is held, and tells the table how much.
    private func counting<Value: Sendable>(
        _ change: (inout sending LoadLine<LoadOutcome, Waiter>) -> Value
    ) -> Value {
        let (value, difference) = line.withLock { line in
            let before = line.counted
            let value = change(&line)
            return (value, line.counted - before)
        }
        table?.hold(difference, limit: limit)
        return value
    }

    private func wait(_ id: Int, for awaited: LoadLine<LoadOutcome, Waiter>.Awaited) async throws {
        try await wait { line, waiter in
            line.wait(id, for: awaited, waiter)
        } stop: {
            $0.stopWaiting(id)
        }
    }

    private func wait(
        _ begin: @Sendable (inout LoadLine<LoadOutcome, Waiter>, Waiter) -> (isToWait: Bool, pump: Waiter?),
        stop: @Sendable (inout LoadLine<LoadOutcome, Waiter>) -> Waiter?
    ) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (early, pump): (Result<Void, any Error>?, Waiter?) = line.withLock { line in
                    // Asked under the lock: a cancellation from here on finds the waiter in its place.
                    if Task.isCancelled { return (.failure(CancellationError()), nil) }
                    let (isToWait, pump) = begin(&line, Waiter(continuation))
                    return (isToWait ? nil : .success(()), pump)
                }
                pump?.resume()
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            line.withLock { stop(&$0) }?.resume(with: .failure(CancellationError()))
        }
    }
}

/// What a reader wants next is not held any more, because others are so much further.
struct LeftBehind: Error {}

extension [Load.Waiter] {
    fileprivate func resume() {
        for waiter in self { waiter.resume() }
    }
}
