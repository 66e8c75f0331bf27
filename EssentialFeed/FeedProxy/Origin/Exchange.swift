import NIOHTTP1

/// A request on a connection, and how far its answer has come.
struct Exchange {
    typealias Heads = AsyncThrowingStream<IncomingMessage<HTTPResponseHead>, any Error>

    /// Tells an exchange from another one on the same connection.
    final class ID: Sendable {}

    /// How many interim answers a request can have.
    static let maximumInterimAnswers = 64

    let id: ID

    /// Gets the heads of the interim answers and that of the answer.
    let heads: Heads.Continuation

    /// Sends the body of the request, if there is one.
    var upload: Task<Void, Never>?

    /// Whether all of the request has been written.
    var isSent: Bool

    /// How many interim answers have come.
    var interimAnswers = 0

    /// How many bytes of the answer's body are still to come, once its head is there; nil where only the bytes tell its end.
    var bytesLeft: Int64?

    /// Whether the head of the answer is there.
    var hasHead = false

    /// Whether all of the answer has been read.
    var isAnswered = false

    /// Whether both sides keep the connection for another one.
    var keepsConnection = false
}
