import Duet
import Foundation
import Hummingbird
import NIOCore

/// The content of a request, which a client forwards as it arrives.
///
/// When a response is complete before its request, the server reads on to the next request while the client may still
/// wait for a piece of this one. NIO ends the process if two tasks wait for the same connection, so the server waits in
/// ``release()`` first.
struct ForwardedBody: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: RequestBody.AsyncIterator
        fileprivate let reading: Monitor<Reading>

        mutating func next() async throws -> Data? {
            let begins = reading.update { reading in
                reading.isWaiting = !reading.isReleased
                return reading.isWaiting
            }
            guard begins else { throw CancellationError() }
            defer { reading.update { $0.isWaiting = false } }
            do {
                while let piece = try await pieces.next(isolation: #isolation) {
                    if !reading.read(\.isReleased) { return Data(piece.readableBytesView) }
                }
            } catch {
                reading.update { $0.hasFailed = true }
                throw error
            }
            // Without an error, the origin would mistake the earlier pieces for the whole content.
            if reading.read(\.isReleased) { throw CancellationError() }
            return nil
        }
    }

    fileprivate struct Reading: Sendable {
        /// Whether the client waits for a piece.
        var isWaiting = false
        var isReleased = false
        var hasFailed = false
    }

    /// The number of bytes, if the request announces it.
    let size: Int64?

    let body: RequestBody
    private let reading = Monitor(Reading())

    /// Whether the connection broke, or the client sent something that is not HTTP, before the content was complete.
    var hasFailed: Bool { reading.read(\.hasFailed) }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: body.makeAsyncIterator(), reading: reading)
    }

    /// Discards the rest of the content, and returns when nobody waits for a piece of it.
    func release() async {
        reading.update { $0.isReleased = true }
        await reading.waitEvenIfCanceled { !$0.isWaiting }
    }
}

extension Response {
    /// The same response, after which nobody waits for content of its request.
    func releasing(_ request: ForwardedBody) -> Response {
        var response = self
        let content = body
        response.body = ResponseBody(contentLength: content.contentLength) { writer in
            try await content.write(writer)
            await request.release()
        }
        return response
    }
}
