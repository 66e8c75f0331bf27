import DuetHTTP
import Foundation
import HTTPTypes

/// A body that fails when it does not have as many bytes as were announced; none that are too many are handed on.
struct CountedPieces: AsyncSequence, Sendable {
    let body: HTTPBody
    let count: Int64
    let request: HTTPRequest

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPBody.AsyncIterator
        let pieces: CountedPieces
        var read: Int64 = 0

        mutating func next() async throws -> Data? {
            guard let piece = try await iterator.next() else {
                if read != pieces.count { throw pieces.wrongLength(read) }
                return nil
            }
            read += Int64(piece.count)
            if read > pieces.count { throw pieces.wrongLength(read) }
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), pieces: self)
    }

    private func wrongLength(_ read: Int64) -> HTTPClientError {
        let error = WrongBodyLength(count: read, announced: count)
        return .connectionFailed(url: request.loggableURL, reason: "\(error)", underlying: error)
    }
}

extension HTTPBody {
    /// The same, which fails when it has another number of bytes.
    func counted(_ count: Int64?, of request: HTTPRequest) -> HTTPBody {
        guard let count else { return self }
        return HTTPBody(CountedPieces(body: self, count: count, request: request), size: count) { trailers }
    }
}

/// A body has other bytes than were announced; of too many not all were counted.
struct WrongBodyLength: Error, CustomStringConvertible {
    let count: Int64
    let announced: Int64

    var isTooLong: Bool { count > announced }

    var description: String {
        "its body has \(isTooLong ? "at least " : "")\(count) bytes instead of \(announced)"
    }
}

extension Error {
    /// That a body has another length than was announced, if it is that.
    var wrongBodyLength: WrongBodyLength? {
        guard case .connectionFailed(_, _, let underlying)? = self as? HTTPClientError else { return nil }
        return underlying as? WrongBodyLength
    }
}
