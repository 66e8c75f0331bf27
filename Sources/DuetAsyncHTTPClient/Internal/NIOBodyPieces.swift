import AsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore

/// The body of an answer, piece by piece, each of which must come before the client's deadline.
struct NIOBodyPieces: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body
    let client: NIOHTTPClient
    let request: HTTPRequest

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: Reader
        let client: NIOHTTPClient
        let request: HTTPRequest

        mutating func next() async throws -> Data? {
            let reader = reader
            let piece = try await client.within(request) { try await reader.next() }
            // A stream may end quietly when its task is cancelled: what was read would then look complete.
            try Task.checkCancellation()
            return piece
        }
    }

    /// Holds the place in the body, since each piece is read in a task that can be given up.
    actor Reader {
        private var iterator: HTTPClientResponse.Body.AsyncIterator

        init(_ body: HTTPClientResponse.Body) {
            iterator = body.makeAsyncIterator()
        }

        func next() async throws -> Data? {
            var iterator = iterator
            defer { self.iterator = iterator }
            return try await iterator.next(isolation: self).map { Data($0.readableBytesView) }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: Reader(body), client: client, request: request)
    }
}
