import NIOHTTP1

/// A request on a connection, and how far its answer has come.
struct Exchange {
    typealias Heads = AsyncThrowingStream<IncomingMessage<HTTPResponseHead>, any Error>

    /// Gets the heads of the interim answers and that of the answer.
    let heads: Heads.Continuation

    /// Whether all of the request has been written.
    var isSent: Bool

    /// Whether all of the answer has been read.
    var isAnswered = false

    /// Whether both sides keep the connection for another one.
    var keepsConnection = false
}
