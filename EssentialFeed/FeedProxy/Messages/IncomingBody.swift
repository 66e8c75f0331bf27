import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import Synchronization

/// A body that is arriving on a connection, which is read no faster than the body is taken.
struct IncomingBody: AsyncSequence, Sendable {
    typealias Pieces = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    /// What a connection is told by the reader of a body.
    struct Demand: NIOAsyncSequenceProducerDelegate {
        let onMore: @Sendable () -> Void
        let onEnd: @Sendable () -> Void

        func produceMore() { onMore() }
        func didTerminate() { onEnd() }
    }

    /// The fields after a body, from when they arrive.
    final class Trailers: Sendable {
        private let fields = Mutex(HTTPFields())

        var current: HTTPFields { fields.withLock(\.self) }

        func arrive(_ trailers: HTTPFields) {
            fields.withLock { $0 = trailers }
        }
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: Pieces.AsyncIterator

        mutating func next() async throws -> Data? {
            guard let piece = try await pieces.next(isolation: #isolation) else {
                // A sequence may end quietly when its task is cancelled: what was read would then look complete.
                try Task.checkCancellation()
                return nil
            }
            return Data(piece.readableBytesView)
        }
    }

    let pieces: Pieces
    let trailers: Trailers

    /// Has what has not been read dropped as it comes, and its reader told that it is not whole.
    let discard: @Sendable () -> Void

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: pieces.makeAsyncIterator())
    }
}

extension HTTPBody {
    /// The body as clients take it.
    init(_ body: IncomingBody, size: Int64?) {
        let trailers = body.trailers
        self.init(body, size: size) { trailers.current.forwarded }
    }
}
