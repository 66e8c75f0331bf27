import DuetHTTP
import Foundation
import HTTPTypes

extension HTTPBody {
    /// The body, which fails if it has another number of bytes, before it passes on too many.
    func counted(_ count: Int64?, of request: HTTPRequest) -> HTTPBody {
        guard let count else { return self }
        let body = checked { read, isEnd in
            guard read > count || isEnd && read < count else { return }
            let error = WrongBodyLength(count: read, announced: count)
            throw HTTPClientError.connectionFailed(url: request.loggableURL, reason: "\(error)", underlying: error)
        }
        return body.size == count ? body : HTTPBody(body, size: count) { body.trailers }
    }

    func followed(by second: HTTPBody, size: Int64, trailers: @escaping @Sendable () -> HTTPFields) -> HTTPBody {
        HTTPBody(JoinedPieces(first: self, second: second), size: size, trailers: trailers)
    }
}

/// A body does not have the announced number of bytes; if it has too many, not all were counted.
struct WrongBodyLength: Error, CustomStringConvertible {
    let count: Int64
    let announced: Int64

    var isTooLong: Bool { count > announced }

    var description: String {
        "its body has \(isTooLong ? "at least " : "")\(count) bytes instead of \(announced)"
    }
}

extension Error {
    /// The error of a body that does not have the announced length.
    var wrongBodyLength: WrongBodyLength? {
        guard case .connectionFailed(_, _, let underlying)? = self as? HTTPClientError else { return nil }
        return underlying as? WrongBodyLength
    }
}

private struct JoinedPieces: AsyncSequence, Sendable {
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

/// The body of a stored response, whose failures look like those of a body from the origin.
struct StoredPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let request: HTTPRequest
    let fail: @Sendable @concurrent (any Error) async -> Void
    let read: @Sendable @concurrent () async throws -> Data?

    func next() async throws -> Data? {
        do {
            return try await read()
        } catch let error as CancellationError {
            throw error
        } catch {
            await fail(error)
            throw HTTPClientError.connectionFailed(
                url: request.loggableURL,
                reason: "the stored response cannot be read",
                underlying: UnreadableStoredBody(underlying: error)
            )
        }
    }

    func makeAsyncIterator() -> StoredPieces { self }
}

/// A stored body broke while it was read.
struct UnreadableStoredBody: Error {
    let underlying: any Error
}

extension HTTPClientError {
    /// Whether a stored body broke, so that a request to the origin may still help.
    var isOfStoredBody: Bool {
        if case .connectionFailed(_, _, let underlying) = self { underlying is UnreadableStoredBody } else { false }
    }
}
