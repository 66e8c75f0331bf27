import Foundation
import Hummingbird
import NIOCore
import Synchronization

/// The content of a request, which a client forwards as it arrives.
///
/// When a response is complete before its request, the server reads on to the next request while the client may still
/// wait for a piece of this one. NIO ends the process if two tasks wait for the same connection, so the server waits in
/// ``release()`` first.
struct ForwardedBody: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: RequestBody.AsyncIterator
        fileprivate let reading: Reading

        mutating func next() async throws -> Data? {
            try reading.begin()
            defer { reading.end() }
            do {
                while let piece = try await pieces.next(isolation: #isolation) {
                    if !reading.isReleased { return Data(piece.readableBytesView) }
                }
            } catch {
                reading.fail()
                throw error
            }
            // Without an error, the origin would take the pieces before for the whole content.
            if reading.isReleased { throw CancellationError() }
            return nil
        }
    }

    /// The number of bytes, if the request announces it.
    let size: Int64?

    private let body: RequestBody
    private let reading = Reading()

    init(_ body: RequestBody, size: Int64?) {
        self.body = body
        self.size = size
    }

    /// Whether the connection broke, or the client sent something that is not HTTP, before the content was complete.
    var hasFailed: Bool { reading.hasFailed }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: body.makeAsyncIterator(), reading: reading)
    }

    /// Discards the rest of the content, and returns when nobody waits for a piece of it.
    func release() async {
        await reading.release()
    }
}

/// Whether somebody waits for a piece of the content.
private final class Reading: Sendable {
    private struct State {
        var isWaiting = false
        var isReleased = false
        var hasFailed = false
        var released: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var isReleased: Bool { state.withLock { $0.isReleased } }

    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    func begin() throws {
        let isReleased = state.withLock { state in
            state.isWaiting = !state.isReleased
            return state.isReleased
        }
        if isReleased { throw CancellationError() }
    }

    func fail() {
        state.withLock { $0.hasFailed = true }
    }

    func end() {
        let released = state.withLock { state in
            state.isWaiting = false
            return state.released.take()
        }
        released?.resume()
    }

    func release() async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                state.isReleased = true
                if state.isWaiting { state.released = continuation }
                return state.isWaiting
            }
            if !isWaiting { continuation.resume() }
        }
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
