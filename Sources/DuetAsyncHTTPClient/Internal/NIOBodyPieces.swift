import AsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore

/// The body of a response, piece by piece.
struct NIOBodyPieces: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body
    let configuration: NIOHTTPClient.Configuration
    let request: HTTPRequest

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPClientResponse.Body.AsyncIterator
        let pieces: NIOBodyPieces

        mutating func next() async throws -> Data? {
            do {
                let buffer = try await iterator.next(isolation: #isolation)
                // The sequence may end without an error when its task is canceled, and would then look complete.
                try Task.checkCancellation()
                return buffer.map { Data($0.readableBytesView) }
            } catch {
                throw pieces.configuration.translate(error, request: pieces.request)
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), pieces: self)
    }
}
