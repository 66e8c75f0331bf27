package import Duet
package import HTTPTypes

/// The messages of a list as HTTP carries them.
package struct HTTPAPI: Sendable {
    /// The list, with the messages of other carriers.
    package let messages: MessageAPI

    /// The messages in the order of the list.
    package let endpoints: [ServedEndpoint]

    private let router: HTTPRouter

    /// Creates the API of the messages that HTTP carries, and checks that they are distinguishable, and can be read
    /// back as they were sent.
    package init(
        _ messages: MessageAPI,
        _ settings: HTTPSettings = HTTPSettings(),
        statuses: [SuccessStatus] = [],
        keepsContents: Bool = true
    ) throws(InvalidMessageAPI) {
        let entries = messages.entries(of: .http)
        let endpoints = entries.compactMap {
            ServedEndpoint($0, settings, statuses, of: messages.entries, keepsContents: keepsContents)
        }
        let router = HTTPRouter(endpoints.map { ($0.method, $0.path) })
        let faults =
            messages.faults(of: .http).map(\.description)
            + entries.compactMap(\.httpFault)
            + entries.compactMap { $0.answerFault(in: messages) }
            + endpoints.flatMap(\.faults)
            + statuses.compactMap { $0.fault(in: endpoints) }
            + router.hidden.compactMap { Self.fault(endpoints[$0.first], endpoints[$0.second]) }
            + router.ambiguous.map { Self.ambiguity(endpoints[$0.first], endpoints[$0.second]) }
            + DeclaredProblems.faults(of: endpoints.map(\.message), settings, entries.flatMap(\.errors))
        guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
        self.messages = messages
        self.endpoints = endpoints
        self.router = router
    }

    /// Finds the endpoint of a request; `HEAD` finds that of `GET`.
    ///
    /// A doubled slash matches nothing, and one at the end only a route that ends with it.
    ///
    /// - Parameter path: The path below the API's base, percent-encoded and without the query.
    package func route(_ method: HTTPRequest.Method, _ path: Substring) -> RoutedRequest {
        switch router.match(method, path) {
        case .found(let index, let parameters): .found(endpoints[index], parameters: parameters)
        case .otherMethods(let methods): .methodNotAllowed(allowed: methods)
        case .none: .notFound
        }
    }

    /// The fault of two messages with one route; nil for a message that is listed twice.
    private static func fault(_ first: ServedEndpoint, _ second: ServedEndpoint) -> String? {
        guard first.message != second.message else { return nil }
        let path = first.path == second.path ? first.path : "\(first.path), also written \(second.path)"
        return """
            \(first.messageName) and \(second.messageName) are both \(first.method) \(path). \
            Give one another path or method.
            """
    }

    /// The fault of two messages with common paths that neither matches first.
    private static func ambiguity(_ first: ServedEndpoint, _ second: ServedEndpoint) -> String {
        """
        \(first.messageName) and \(second.messageName) have some paths in common, \(first.path) and \(second.path). \
        Give one another path or method.
        """
    }
}

package enum RoutedRequest: Sendable {
    /// An endpoint and the decoded values of the path, by the names in braces.
    case found(ServedEndpoint, parameters: [String: String])

    /// The path exists with other methods, which include `HEAD` beside `GET`.
    case methodNotAllowed(allowed: [HTTPRequest.Method])

    /// An unknown path.
    case notFound
}

extension AnsweredCommand {
    fileprivate static var answerType: any PayloadQuery.Type { Answer.self }

    /// The entry of the query that answers the command, which HTTP may have as an answer only.
    static func answeringQuery(in entries: [MessageAPI.Entry]) -> MessageAPI.Entry? {
        let entries = entries.filter { $0.message == Answer.self }
        return entries.first { $0.isCarried(.http) } ?? entries.first
    }
}

extension SuccessStatus {
    /// The fault of a status for a command that is not served.
    fileprivate func fault(in endpoints: [ServedEndpoint]) -> String? {
        guard !endpoints.contains(where: { $0.message == message }) else { return nil }
        return "There is a SuccessStatus of \(message.messageName), which is not in the list."
    }
}

extension MessageAPI.Entry {
    /// The fault of a command whose answer cannot be given.
    fileprivate func answerFault(in api: MessageAPI) -> String? {
        guard let answered = message as? any AnsweredCommand.Type else { return nil }
        let query = answered.answerType
        let (name, command) = (query.messageName, message.messageName)
        guard query is any HTTPQuery.Type else {
            return "\(name) answers \(command), but is not an HTTP query: conform it to HTTPQuery."
        }
        guard let entry = answered.answeringQuery(in: api.entries) else {
            return """
                \(name) answers \(command), but is not in the API “\(api.name)”: list it, with .not(over: .http) if it \
                is available as an answer only.
                """
        }
        if case .nodes = entry.callers { return "\(name) answers \(command), but is sent by nodes only." }
        guard !entry.isCarried(.http), entry.callers == nil, api.needsPrincipal else { return nil }
        return MessageAPI.Fault.missingRule(of: query).description
    }

    fileprivate var httpFault: String? {
        let name = message.messageName
        if !(message is any HTTPMessage.Type) {
            return """
                \(name) is not an HTTP message: conform it to HTTPCommand or HTTPQuery, or write \
                \(message).not(over: .http) in the list.
                """
        }
        guard case .nodes = callers else { return nil }
        return "\(name) is sent by nodes only: write \(message).not(over: .http) in the list."
    }
}
