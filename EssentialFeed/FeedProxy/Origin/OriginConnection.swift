import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// A connection to the origin, for one exchange after the other.
final class OriginConnection: Sendable {
    private static let maximumInterimAnswers = 64

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
            bufferingPolicy: .bufferingOldest(Self.maximumInterimAnswers)
        )
        let begun = channel.eventLoop.submit { [handler] in
            try handler.value.begin(head, isWhole: body == nil, heads: continuation)
        }
        if let body {
            // Nothing of the body is taken before it is certain that it goes here.
            try await begun.get()
            let upload = Task { [self] in await send(body, isChunked: body.size == nil) }
            channel.closeFuture.whenComplete { _ in upload.cancel() }
        }
        return try await withTaskCancellationHandler {
            try await begun.get()
            for try await message in heads {
                if message.body != nil { return message }
                onInterim(message.head)
            }
            throw CancellationError()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func send(_ body: HTTPBody, isChunked: Bool) async {
        do {
            for try await piece in body {
                let part = HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: piece)))
                try await channel.writeAndFlush(part).get()
            }
            let trailers = isChunked && !body.trailers.isEmpty ? HTTPHeaders(body.trailers) : nil
            try await channel.writeAndFlush(HTTPClientRequestPart.end(trailers)).get()
            channel.eventLoop.execute { [handler] in handler.value.finishRequest() }
        } catch {
            // A request that is not complete must not look as if it were.
            channel.close(promise: nil)
        }
    }
}
