import Duet
import Foundation

extension HTTPBody {
    /// The same body, each of whose pieces must arrive in time; unchanged if it is whole.
    ///
    /// - Parameter timeLeft: Returns how long the next piece may take.
    func timed(
        by clock: any Clock<Duration>,
        throwing error: HTTPClientError,
        timeLeft: @escaping @Sendable () -> Duration
    ) -> HTTPBody {
        guard whole == nil else { return self }
        let pieces = TimedPieces(body: self, clock: clock, error: error, timeLeft: timeLeft)
        return HTTPBody(pieces, size: size) { trailers }
    }
}

private struct TimedPieces: AsyncSequence, Sendable {
    let body: HTTPBody
    let clock: any Clock<Duration>
    let error: HTTPClientError
    let timeLeft: @Sendable () -> Duration

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: Reader
        let pieces: TimedPieces

        mutating func next() async throws -> Data? {
            let timeLeft = pieces.timeLeft()
            guard timeLeft > .zero else { throw pieces.error }
            return try await withTimeout(timeLeft, clock: pieces.clock, error: pieces.error) { [reader] in
                try await reader.next()
            }
        }
    }

    /// Keeps the position in the body, because each piece is read in a task that can be canceled.
    actor Reader {
        private var iterator: HTTPBody.AsyncIterator

        init(_ body: HTTPBody) {
            iterator = body.makeAsyncIterator()
        }

        func next() async throws -> Data? {
            var iterator = iterator
            defer { self.iterator = iterator }
            return try await iterator.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: Reader(body), pieces: self)
    }
}
