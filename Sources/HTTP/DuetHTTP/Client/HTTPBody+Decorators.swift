import Duet
package import Foundation
package import HTTPTypes
import Synchronization

// MARK: Size

extension HTTPBody {
    /// The same body, which fails with ``HTTPClientError/bodyTooLarge(url:limit:)`` beyond `limit`; unchanged for nil.
    package func limited(to limit: Int?, for request: HTTPRequest) -> HTTPBody {
        guard let limit else { return self }
        // A known size is checked before the first byte.
        return checked { [size] count, _ in
            guard count <= limit, size ?? 0 <= limit else {
                throw HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)
            }
        }
    }

    /// The same body, whose reader receives the errors of `check`.
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
    package func collected(for request: HTTPRequest) async throws -> Data {
        try await collected(upTo: HTTPRequestOptions.current.maximumBodySize ?? .max, for: request)
    }

    /// Reads all bytes of a response, or keeps the error for a reader, if the response counts without its body.
    package func collected(
        upTo limit: Int? = nil,
        for request: HTTPRequest,
        of response: HTTPResponse
    ) async throws -> HTTPBody {
        let options = HTTPRequestOptions.current
        do {
            return HTTPBody(try await collected(upTo: limit ?? options.maximumBodySize ?? .max, for: request))
        } catch  where options.mayLoseBody(of: response) {
            return HTTPBody(AsyncThrowingStream { $0.finish(throwing: error) })
        }
    }

    func collected(upTo limit: Int, for request: HTTPRequest) async throws -> Data {
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
            orThrow: HTTPClientError.invalidRequest(reason: "this client sends no stream of more than \(limit) bytes")
        )
    }
}

/// A body whose bytes are counted while they are read.
private struct CheckedPieces: AsyncSequence {
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

// MARK: Time

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

private struct TimedPieces: AsyncSequence {
    let body: HTTPBody
    let clock: any Clock<Duration>
    let error: HTTPClientError
    let timeLeft: @Sendable () -> Duration

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: HTTPBodyReader
        let pieces: TimedPieces

        mutating func next() async throws -> Data? {
            let timeLeft = pieces.timeLeft()
            guard timeLeft > .zero else { throw pieces.error }
            return try await withTimeout(timeLeft, clock: pieces.clock, error: pieces.error) { [reader] in
                try await reader.next()
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: HTTPBodyReader(body), pieces: self)
    }
}

/// Keeps the position in a body, each of whose pieces is read in another task.
package actor HTTPBodyReader {
    private var iterator: HTTPBody.AsyncIterator

    package init(_ body: HTTPBody) {
        iterator = body.makeAsyncIterator()
    }

    package func next() async throws -> Data? {
        var iterator = iterator
        defer { self.iterator = iterator }
        return try await iterator.next()
    }
}

// MARK: End

extension HTTPBody {
    /// The same body, which reports its end once; a whole body reports it immediately.
    ///
    /// - Parameter report: Receives the number of bytes that were read and why there were no more: nil after the last
    ///   byte, the error of reading, or a `CancellationError` when the body or its reader was dropped.
    package func ending(_ report: @escaping @Sendable (_ count: Int64, _ error: (any Error)?) -> Void) -> HTTPBody {
        if let whole {
            report(Int64(whole.count), nil)
            return self
        }
        return HTTPBody(EndingPieces(body: self, report: report), size: size) { trailers }
    }
}

private typealias EndReport = @Sendable (_ count: Int64, _ error: (any Error)?) -> Void

/// A body that reports its end.
///
/// The iterator takes the reading from the body, so that dropping the iterator is an end while the body is still held.
private struct EndingPieces: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPBody.AsyncIterator
        let reading: Reading?

        mutating func next() async throws -> Data? {
            do {
                let piece = try await iterator.next()
                if let piece { reading?.note(piece.count) } else { reading?.end(nil) }
                return piece
            } catch {
                reading?.end(error)
                throw error
            }
        }
    }

    private final class UnreadBody: Sendable {
        let reading: Mutex<Reading?>

        init(_ reading: Reading) {
            self.reading = Mutex(reading)
        }
    }

    private let body: HTTPBody
    private let unread: UnreadBody

    init(body: HTTPBody, report: @escaping EndReport) {
        self.body = body
        unread = UnreadBody(Reading(report))
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), reading: unread.reading.withLock { $0.take() })
    }
}

/// The reading of one body, which ends at the latest when it is released.
private final class Reading: Sendable {
    private let count = Atomic<Int64>(0)
    private let report: Mutex<EndReport?>

    init(_ report: @escaping EndReport) {
        self.report = Mutex(report)
    }

    deinit {
        end(CancellationError())
    }

    func note(_ bytes: Int) {
        count.add(Int64(bytes), ordering: .relaxed)
    }

    func end(_ error: (any Error)?) {
        report.withLock { $0.take() }?(count.load(ordering: .relaxed), error)
    }
}
