import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// A connection to the origin, for one exchange after the other.
final class OriginConnection: Sendable {
    let channel: any Channel
    private let handler: NIOLoopBound<ExchangeHandler>

    init(channel: any Channel, handler: NIOLoopBound<ExchangeHandler>) {
        self.channel = channel
        self.handler = handler
    }

    /// Sends a request and returns the head of its answer as soon as it is there, with the body still to come.
    ///
    /// The body of the request goes on being sent meanwhile. When the task is cancelled, or nobody reads the answer's body any
    /// more, the connection is closed, which is how an origin learns of it.
    ///
    /// - Throws: ``OriginError/notSent`` when nothing was sent; what broke the exchange.
    func exchange(
        _ head: HTTPRequestHead,
        body: HTTPBody?,
        onInterim: (HTTPResponseHead) -> Void
    ) async throws -> IncomingMessage<HTTPResponseHead> {
        let (heads, continuation) = Exchange.Heads.makeStream(
            bufferingPolicy: .bufferingOldest(Exchange.maximumInterimAnswers + 1)
        )
        let upload = body.map { body in { @Sendable [self] in await send(body) } }
        let id = Exchange.ID()
        let begun = channel.eventLoop.submit { [handler] in
            try handler.value.begin(id, head, heads: continuation, upload: upload)
        }
        return try await withTaskCancellationHandler {
            try await begun.get()
            for try await message in heads {
                if message.body != nil { return message }
                onInterim(message.head)
            }
            throw CancellationError()
        } onCancel: {
            channel.eventLoop.execute { [handler] in handler.value.abandon(id) }
        }
    }

    private func send(_ body: HTTPBody) async {
        do {
            var rest = body.size
            for try await piece in body where !piece.isEmpty {
                let part = HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: piece)))
                guard let left = rest.map({ $0 - Int64(piece.count) }) else {
                    try await write([part])
                    continue
                }
                guard left >= 0 else { throw OriginError.unfitBody }
                // The origin knows the last byte when it sees it, and may answer at once.
                if left == 0 { return try await write([part, .end(nil)]) }
                rest = left
                try await write([part])
            }
            guard rest ?? 0 == 0 else { throw OriginError.unfitBody }
            let trailers = body.size == nil && !body.trailers.isEmpty ? HTTPHeaders(body.trailers) : nil
            try await write([.end(trailers)])
        } catch {
            // A request that is not complete must not look as if it were.
            channel.close(promise: nil)
        }
    }

    private func write(_ parts: [HTTPClientRequestPart]) async throws {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute { [handler] in handler.value.send(parts, promise: promise) }
        try await promise.futureResult.get()
    }
}
