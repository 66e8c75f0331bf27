extension Dispatcher {
    /// Dispatches a command, and then the query that answers it, whose value it returns.
    ///
    /// Every layer sees two messages. If the response to the command holds the value already, as over HTTP, nothing is
    /// sent for the query.
    ///
    /// - Throws: The error of the command, as `dispatch` throws it; ``AnswerUnavailable`` if the command has succeeded,
    ///   but the query has not; `CancellationError`.
    public func answer<C: AnsweredCommand>(to command: C) async throws -> C.Answer.Value {
        let answer = CommandAnswer<C>(isAwaited: true)
        try await answer.noted { try await dispatch(command) }
        do {
            let query = try answer.query(of: command)
            let response = answer.takeResponse(to: query)
            let offer = AnswerOffer(response, of: query)
            // A response without a value says how to ask for one that a cache may not have yet.
            let mode: ReadMode = response?.holdsValue == false ? .fresh : .cacheFirst
            let result = try await offer.run { try await read(query, mode) }
            // A value that replaces a failed load may be older than the command.
            if let error = result.error { throw error }
            return result.value
        } catch  where !(error is CancellationError && Task.isCancelled) {
            throw AnswerUnavailable(command: C.messageName, reason: error)
        }
    }
}

/// A command has succeeded, but its answer could not be loaded, so do not dispatch the command again.
public struct AnswerUnavailable: Error, CustomStringConvertible {
    /// The name of the command.
    public let command: String

    /// The error of the query, or the reason why the query is not known.
    public let reason: any Error

    /// The failure and its remedy.
    public var description: String {
        let reason = "\(reason)"
        let end = reason.hasSuffix(".") ? "" : "."
        return "\(command) has succeeded, and must not be dispatched again, but has no answer: \(reason)\(end)"
    }
}
