import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// A body that was read up to a limit.
enum CollectedBody {
    case whole(Data, trailers: HTTPFields)
    /// A larger body, with the bytes that were read; its rest arrives as it is read.
    case larger(HTTPBody)
}

extension HTTPBody {
    /// Reads the body of the response to a request, unless it is larger than a limit.
    ///
    /// - Throws: The errors of reading; ``/DuetHTTP/HTTPClientError`` for another number of bytes than announced.
    func read(upTo limit: Int, for request: HTTPRequest) async throws -> CollectedBody {
        guard size ?? 0 <= limit else { return .larger(self) }
        if let whole { return .whole(whole, trailers: [:]) }
        let reader = HTTPBodyReader(self)
        var data = Data()
        while let piece = try await reader.next() {
            // A single piece need not be copied.
            if data.isEmpty { data = piece } else { data.append(piece) }
            if data.count > limit {
                return .larger(HTTPBody(BegunPieces(data, reader, of: request), size: size) { trailers })
            }
        }
        // A source may end without an error when its task is canceled. The bytes so far would look complete.
        try Task.checkCancellation()
        if let size, size != data.count {
            let error = WrongBodyLength(count: data.count, announced: size)
            throw HTTPClientError.connectionFailed(url: request.loggableURL, reason: "\(error)", underlying: error)
        }
        return .whole(data, trailers: trailers)
    }

    init(_ data: Data, trailers: HTTPFields) {
        if trailers.isEmpty {
            self.init(data)
        } else {
            let piece = AsyncStream { pieces in
                pieces.yield(data)
                pieces.finish()
            }
            self.init(piece, size: Int64(data.count)) { trailers }
        }
    }
}

/// A body does not have the announced number of bytes.
private struct WrongBodyLength: Error, CustomStringConvertible {
    let count: Int
    let announced: Int64

    var description: String { "its body has \(count) bytes instead of \(announced)" }
}

private struct BodyReadBefore: Error {}

/// The bytes that were read of a body, and then its rest.
///
/// The first iterator takes the reader, so that one that stops releases the body although the response is still held. A
/// second one fails, because an empty body would look complete.
private final class BegunPieces: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        var first: Data?
        let rest: HTTPBodyReader?
        let request: HTTPRequest

        mutating func next() async throws -> Data? {
            if let first = first.take() { return first }
            guard let rest else {
                throw HTTPClientError.connectionFailed(
                    url: request.loggableURL,
                    reason: "its body has been read before, and can be read only once",
                    underlying: BodyReadBefore()
                )
            }
            return try await rest.next()
        }
    }

    private let request: HTTPRequest
    private let unread: Mutex<(first: Data?, rest: HTTPBodyReader?)>

    init(_ first: Data, _ rest: HTTPBodyReader, of request: HTTPRequest) {
        self.request = request
        unread = Mutex((first, rest))
    }

    func makeAsyncIterator() -> AsyncIterator {
        unread.withLock { unread in
            defer { unread = (nil, nil) }
            return AsyncIterator(first: unread.first, rest: unread.rest, request: request)
        }
    }
}
