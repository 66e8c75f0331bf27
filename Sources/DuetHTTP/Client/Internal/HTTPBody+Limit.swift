import Foundation
package import HTTPTypes

extension HTTPBody {
    /// The same as far as a request takes it, which fails where there is more; as it is when the request does not say.
    package func limited(to limit: Int?, answering request: HTTPRequest) -> HTTPBody {
        guard let limit else { return self }
        return HTTPBody(LimitedPieces(body: self, limit: limit, request: request), size: size) { trailers }
    }
}

/// A body of no more than so many bytes.
private struct LimitedPieces: AsyncSequence, Sendable {
    let body: HTTPBody
    let limit: Int
    let request: HTTPRequest

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPBody.AsyncIterator
        let pieces: LimitedPieces
        var left: Int

        mutating func next() async throws -> Data? {
            // Before the first byte, where it is known by then.
            if let size = pieces.body.size, size > pieces.limit { throw pieces.tooLarge }
            guard let piece = try await iterator.next() else { return nil }
            guard piece.count <= left else { throw pieces.tooLarge }
            left -= piece.count
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), pieces: self, left: limit)
    }

    private var tooLarge: HTTPClientError { .bodyTooLarge(url: request.loggableURL, limit: limit) }
}
