import Foundation
import Synchronization

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

/// A body that reports its end.
///
/// The iterator takes the reading from the body, so that dropping the iterator is an end while the body is still held.
private struct EndingPieces: AsyncSequence, Sendable {
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

    init(body: HTTPBody, report: @escaping @Sendable (Int64, (any Error)?) -> Void) {
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
    private let report: Mutex<(@Sendable (Int64, (any Error)?) -> Void)?>

    init(_ report: @escaping @Sendable (Int64, (any Error)?) -> Void) {
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
