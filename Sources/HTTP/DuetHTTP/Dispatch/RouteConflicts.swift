import Duet
import HTTPTypes

/// The messages of a list that own some of another message's paths, because a server matches literals first.
///
/// Determined once for a type; most types have none.
struct RouteConflicts: Sendable {
    private let message: any HTTPMessage.Type
    private let method: HTTPRequest.Method
    private let template: PathTemplate
    /// The list, if a path of the message may belong to another one.
    private let api: HTTPAPI?

    init<Message: HTTPMessage>(of type: Message.Type, in api: HTTPAPI?) {
        let (method, template) = (type.route.method.httpMethod, PathTemplate(type.route.path))
        let mayConflict = api?.endpoints.contains {
            $0.method == method && template.precedence(over: PathTemplate($0.path)) == .second
        }
        (message, self.method, self.template, self.api) = (type, method, template, mayConflict == true ? api : nil)
    }

    /// Checks that a path leads to the message that it was written for.
    ///
    /// - Throws: ``HTTPMessageError/unsendable(message:property:reason:)`` with the name of the other message.
    func check(_ path: String) throws(HTTPMessageError) {
        guard let api else { return }
        let path = path.prefix { $0 != "?" }
        guard case .found(let other, _) = api.route(method, path), other.message != message else { return }
        throw .unsendable(
            message: message.messageName,
            property: template.placeholders.joined(separator: " and "),
            reason: """
                would lead to \(other.messageName), because the path is “\(path)”; give it another value, or one of \
                the messages another path
                """
        )
    }
}
