import Duet
import DuetContext
import Foundation

extension HTTPBody {
    /// The same body as far as it is read before a deadline; one that is there already as it is.
    func kept(by deadline: Deadline, _ error: HTTPClientError) -> HTTPBody {
        guard whole == nil else { return self }
        return HTTPBody(TimedPieces(body: self, deadline: deadline, error: error), size: size) { trailers }
    }
}

/// A body each of whose pieces must come before the same moment.
private struct TimedPieces: AsyncSequence, Sendable {
    let body: HTTPBody
    let deadline: Deadline
    let error: HTTPClientError

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: Reader
        let deadline: Deadline
        let error: HTTPClientError

        mutating func next() async throws -> Data? {
            let timeLeft = deadline.remaining
            guard timeLeft > .zero else { throw error }
            return try await withTimeout(timeLeft, clock: deadline.clock, error: error) { [reader] in
                try await reader.next()
            }
        }
    }

    /// Holds the place in the body, since each piece is read in a task that can be given up.
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
        AsyncIterator(reader: Reader(body), deadline: deadline, error: error)
    }
}
