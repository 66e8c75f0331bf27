import Duet
import HTTPTypes

/// The messages of a list that own some of another message's paths, because a server matches literals first.
struct RouteConflicts {
    /// Returns an error for a path of another message; nil for types without such paths, as most are.
    private let refusal: (@Sendable (_ path: Substring) -> HTTPMessageError?)?

    init<Message: HTTPMessage>(of _: Message.Type, in api: HTTPAPI?) {
        let (method, template) = (Message.route.method.httpMethod, PathTemplate(Message.route.path))
        let mayConflict = api?.endpoints.contains {
            $0.method == method && (template.precedence(over: PathTemplate($0.path)) ?? 0) < 0
        }
        guard let api, mayConflict == true else {
            refusal = nil
            return
        }
        refusal = { path in
            guard case .found(let other, _) = api.route(method, path), other.message != Message.self else { return nil }
            return .unsendable(
                message: Message.messageName,
                property: template.placeholders.joined(separator: " and "),
                reason: """
                    would lead to \(other.messageName), because the path is “\(path)”; give it another value, or one \
                    of the messages another path
                    """
            )
        }
    }

    /// Checks that a path leads to the message that it was written for.
    ///
    /// - Throws: ``HTTPMessageError/unsendable(message:property:reason:)`` with the name of the other message.
    func check(_ path: String) throws(HTTPMessageError) {
        if let error = refusal?(path.prefix { $0 != "?" }) { throw error }
    }
}
