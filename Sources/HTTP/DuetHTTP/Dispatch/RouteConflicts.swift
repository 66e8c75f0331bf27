import Duet
import HTTPTypes

/// The messages of a list that own some of another message's paths, because a server matches literals first.
struct RouteConflicts<Message: HTTPMessage>: Sendable {
    /// The list, if a path of the message may belong to another one, as for few types.
    private let api: HTTPAPI?

    init(in api: HTTPAPI?) {
        let template = PathTemplate(Message.route.path)
        let mayConflict = api?.endpoints.contains {
            $0.method == Message.route.method.httpMethod
                && (template.precedence(over: PathTemplate($0.path)) ?? 0) < 0
        }
        self.api = mayConflict == true ? api : nil
    }

    /// Checks that a path leads to the message that it was written for.
    ///
    /// - Throws: ``HTTPMessageError/unsendable(message:property:reason:)`` with the name of the other message.
    func check(_ path: String) throws(HTTPMessageError) {
        guard let api else { return }
        let path = path.prefix { $0 != "?" }
        guard case .found(let other, _) = api.route(Message.route.method.httpMethod, path),
            other.message != Message.self
        else { return }
        throw .unsendable(
            message: Message.messageName,
            property: PathTemplate(Message.route.path).placeholders.joined(separator: " and "),
            reason: """
                would lead to \(other.messageName), because the path is “\(path)”; give it another value, or one of \
                the messages another path
                """
        )
    }
}
