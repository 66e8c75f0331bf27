import Foundation
import Synchronization

extension HTTPBody {
    /// The same body, of whose end somebody is told, once: at once when it is there already.
    ///
    /// - Parameter tell: Is told how many bytes were read, and why no more: nil after the last one, what reading threw, and a
    ///   `CancellationError` when the body or its reader was dropped before.
    package func ending(_ tell: @escaping @Sendable (_ count: Int64, _ error: (any Error)?) -> Void) -> HTTPBody {
        if let whole {
            tell(Int64(whole.count), nil)
            return self
        }
        return HTTPBody(EndingPieces(body: self, tell: tell), size: size) { trailers }
    }
}

/// A body whose end is told.
///
/// The reading is handed to the one who reads, so that it ends with the reader though the body is still held.
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

    private final class Place: Sendable {
        let reading: Mutex<Reading?>

        init(_ reading: Reading) {
            self.reading = Mutex(reading)
        }
    }

    private let body: HTTPBody
    private let place: Place

    init(body: HTTPBody, tell: @escaping @Sendable (Int64, (any Error)?) -> Void) {
        self.body = body
        place = Place(Reading(tell))
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), reading: place.reading.withLock { $0.take() })
    }
}

/// The reading of one body, which ends when nobody holds it any more, if not before.
private final class Reading: Sendable {
    private let count = Atomic<Int64>(0)
    private let tell: Mutex<(@Sendable (Int64, (any Error)?) -> Void)?>

    init(_ tell: @escaping @Sendable (Int64, (any Error)?) -> Void) {
        self.tell = Mutex(tell)
    }

    deinit {
        end(CancellationError())
    }

    func note(_ bytes: Int) {
        count.add(Int64(bytes), ordering: .relaxed)
    }

    func end(_ error: (any Error)?) {
        tell.withLock { $0.take() }?(count.load(ordering: .relaxed), error)
    }
}
