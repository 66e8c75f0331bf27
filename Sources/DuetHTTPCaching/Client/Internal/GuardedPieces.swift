import DuetHTTP
import Foundation
import HTTPTypes

/// A stored body whose reader is told what failed, and by the same kind of error as of a body that comes from the origin.
///
/// Whoever wrote the store: what has other bytes than were stored has failed too.
struct GuardedPieces: AsyncSequence, Sendable {
    let body: HTTPBody
    let request: HTTPRequest
    let end: @Sendable () -> Void
    let fail: @Sendable @concurrent (any Error) async -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: HTTPBody.AsyncIterator
        let pieces: GuardedPieces

        mutating func next() async throws -> Data? {
            do {
                let piece = try await iterator.next()
                if piece == nil { pieces.end() }
                return piece
            } catch let error as CancellationError {
                throw error
            } catch {
                await pieces.fail(error)
                throw HTTPClientError.connectionFailed(
                    url: pieces.request.loggableURL,
                    reason: "what was stored of it cannot be read",
                    underlying: UnreadableStoredBody(underlying: error)
                )
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: body.makeAsyncIterator(), pieces: self)
    }
}

/// A stored body broke while it was read.
struct UnreadableStoredBody: Error {
    let underlying: any Error
}

extension HTTPClientError {
    /// Whether a stored body broke, so that asking the origin may still help.
    var isOfStoredBody: Bool {
        if case .connectionFailed(_, _, let underlying) = self { underlying is UnreadableStoredBody } else { false }
    }
}
