package import Foundation
package import HTTPTypes

extension HTTPBody {
    /// The same body, which fails with ``HTTPClientError/bodyTooLarge(url:limit:)`` beyond `limit`; unchanged for nil.
    package func limited(to limit: Int?, answering request: HTTPRequest) -> HTTPBody {
        guard let limit else { return self }
        // Before the first byte if the size is known by then.
        return checked { [size] count, _ in
            guard count <= limit, size ?? 0 <= limit else {
                throw HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)
            }
        }
    }

    /// The same body, whose reader gets what `check` throws.
    ///
    /// - Parameter check: Called with the number of bytes so far: before the first piece, after each one before it is
    ///   returned, and at the end.
    package func checked(
        _ check: @escaping @Sendable (_ count: Int64, _ isEnd: Bool) throws -> Void
    ) -> HTTPBody {
        // A whole body can be checked now, and stays whole.
        if let whole, (try? check(Int64(whole.count), false)) != nil, (try? check(Int64(whole.count), true)) != nil {
            return self
        }
        return HTTPBody(CheckedPieces(body: self, check: check), size: size) { trailers }
    }

    /// Reads all bytes of the response to a request, at most ``HTTPRequestOptions/maximumBodySize``.
    ///
    /// - Throws: ``HTTPClientError/bodyTooLarge(url:limit:)``; the errors of reading.
    package func collected(answering request: HTTPRequest) async throws -> Data {
        try await collected(upTo: HTTPRequestOptions.current.maximumBodySize ?? .max, answering: request)
    }

    /// Reads all bytes of the response to a request, at most `limit`.
    func collected(upTo limit: Int, answering request: HTTPRequest) async throws -> Data {
        try await collect(
            upTo: limit,
            orThrow: HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)
        )
    }

    /// Reads all bytes of a request's body, for a client that sends only whole bodies.
    ///
    /// - Throws: ``HTTPClientError/invalidRequest(reason:)`` for a body in pieces of more than 16 MiB; the errors of
    ///   reading.
    package func collectToSend() async throws -> Data {
        if let whole { return whole }
        let limit = 16 * 1024 * 1024
        return try await collect(
            upTo: limit,
            orThrow: HTTPClientError.invalidRequest(reason: "this client takes no stream of more than \(limit) bytes")
        )
    }
}

/// A body whose bytes are counted while they are read.
private struct CheckedPieces: AsyncSequence, Sendable {
    let body: HTTPBody
    let check: @Sendable (_ count: Int64, _ isEnd: Bool) throws -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPBody.AsyncIterator
        let check: @Sendable (_ count: Int64, _ isEnd: Bool) throws -> Void
        var count: Int64 = 0

        mutating func next() async throws -> Data? {
            if count == 0 { try check(0, false) }
            let piece = try await iterator.next()
            count += Int64(piece?.count ?? 0)
            try check(count, piece == nil)
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), check: check)
    }
}
