/// Why an exchange with the origin ended early.
enum OriginError: Error {
    /// The connection had been closed before the request was written, so that it may go on another one.
    case notSent

    /// Nothing went or came for too long.
    case standstill

    /// The origin closed the connection before its answer was complete.
    case closed

    /// It answered with what no client asked for: another protocol, or interim answers without end.
    case unexpectedAnswer(status: Int)

    /// Its answer is coded in a way that is not undone here.
    case unknownTransferCoding

    /// The request's body is not as long as its head says.
    case unfitBody
}

extension OriginError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notSent: "the connection was closed"
        case .standstill: "it stood still"
        case .closed: "it closed the connection before its answer was complete"
        case .unexpectedAnswer(let status): "its answer with status \(status) was not asked for"
        case .unknownTransferCoding: "its answer has a transfer coding that is not undone"
        case .unfitBody: "the body of the request is not as long as its head says"
        }
    }
}
