import Duet

extension HTTPEndpoint {
    /// Creates the endpoint of a listed message; nil if that is not an HTTP message.
    init?(_ entry: MessageAPI.Entry, _ statuses: [SuccessStatus]) {
        switch entry.message {
        case let command as any HTTPCommand.Type: self = Self.command(command, entry, statuses)
        case let query as any HTTPQuery.Type: self = Self.query(query, entry)
        default: return nil
        }
    }

    private static func command<C: HTTPCommand>(
        _ command: C.Type,
        _ entry: MessageAPI.Entry,
        _ statuses: [SuccessStatus]
    ) -> HTTPEndpoint {
        HTTPEndpoint(
            command,
            authorize: (entry.listed as? Listed<C>)?.rule,
            successStatus: statuses.last { $0.message == command }?.status as? SuccessStatus.Closure<C>
        )
    }

    private static func query<Q: HTTPQuery>(_ query: Q.Type, _ entry: MessageAPI.Entry) -> HTTPEndpoint {
        HTTPEndpoint(query, authorize: (entry.listed as? Listed<Q>)?.rule)
    }
}

extension MessageAPI.Entry {
    /// The reason why HTTP cannot carry the message; nil if it can.
    var httpFault: InvalidHTTPAPI.Fault? {
        let name = message.messageName
        if !(message is any HTTPMessage.Type) {
            return .init(
                [name],
                """
                \(name) is not an HTTP message: conform it to HTTPCommand or HTTPQuery, or write \
                \(message).not(over: .http) in the list.
                """
            )
        }
        guard isForNodes else { return nil }
        return .init([name], "\(name) is sent by nodes only: write \(message).not(over: .http) in the list.")
    }
}
