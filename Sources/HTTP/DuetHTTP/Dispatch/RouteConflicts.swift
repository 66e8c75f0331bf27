import Duet
import HTTPTypes

/// The messages of an API that own some of another message's paths, because a server matches literals first.
///
/// Determined once for a type; most types have none.
struct RouteConflicts: Sendable {
    private struct Conflict {
        let message: String
        /// The values of placeholders with which the path belongs to the other message, by their segments.
        let values: [(segment: Int, name: String, value: String)]
    }

    private let message: String
    private let conflicts: [Conflict]

    init<Message: HTTPMessage>(of type: Message.Type, in endpoints: [ServedEndpoint]) {
        let (method, template) = (type.route.method.httpMethod, PathTemplate(type.route.path))
        message = type.messageName
        conflicts = endpoints.filter { $0.method == method }.compactMap { endpoint in
            Self.values(leading: template, to: PathTemplate(endpoint.path))
                .map { Conflict(message: endpoint.messageName, values: $0) }
        }
    }

    /// Checks that a path leads to the message that it was written for.
    ///
    /// - Throws: ``HTTPMessageError/unsendable(message:property:reason:)`` with the name of the other message.
    func check(_ path: String) throws(HTTPMessageError) {
        guard !conflicts.isEmpty else { return }
        let segments = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.decode($0) }
        for conflict in conflicts where conflict.values.allSatisfy({ segments[$0.segment] == $0.value }) {
            let values = conflict.values.map { "\($0.name) is “\($0.value)”" }.joined(separator: " and ")
            throw .unsendable(
                message: message,
                property: conflict.values.map(\.name).joined(separator: " and "),
                reason: """
                    would lead to \(conflict.message), because \(values); give it another value, or one of them \
                    another path
                    """
            )
        }
    }

    private static func values(
        leading template: PathTemplate,
        to other: PathTemplate
    ) -> [(segment: Int, name: String, value: String)]? {
        guard template.segments.count == other.segments.count else { return nil }
        var values: [(segment: Int, name: String, value: String)] = []
        for (index, pair) in zip(template.segments, other.segments).enumerated() {
            switch pair {
            case (.literal(let first), .literal(let second)):
                guard PercentEncoding.decode(first[...]) == PercentEncoding.decode(second[...]) else { return nil }
            case (.placeholder(let name), .literal(let text)):
                values.append((index, name, PercentEncoding.decode(text[...]) ?? text))
            case (.literal, .placeholder):
                // The first segment in which they differ decides.
                if values.isEmpty { return nil }
            case (.placeholder, .placeholder): break
            }
        }
        return values.isEmpty ? nil : values
    }
}
