import DuetHTTP
import Foundation

/// One body after the other.
struct JoinedPieces: AsyncSequence, Sendable {
    let first: HTTPBody
    let second: HTTPBody

    struct AsyncIterator: AsyncIteratorProtocol {
        var first: HTTPBody.AsyncIterator?
        var second: HTTPBody.AsyncIterator

        mutating func next() async throws -> Data? {
            if let piece = try await first?.next() { return piece }
            first = nil
            return try await second.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(first: first.makeAsyncIterator(), second: second.makeAsyncIterator())
    }
}
