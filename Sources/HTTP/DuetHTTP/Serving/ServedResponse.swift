import Duet
package import Foundation
package import HTTPTypes

package struct ServedResponse: Hashable, Sendable {
    package var status: HTTPResponse.Status

    /// All fields except the length and the entity tag.
    package var headers: HTTPFields

    package var body: Data? {
        get { content ?? refusal?.content }
        set { content = newValue }
    }

    private var content: Data?

    /// The problem, if the response is a refusal that has no other content.
    var refusal: Refusal?

    /// The strong entity tag of the value without quotes, or nil to compute one from the content.
    package var entityTag: String?

    /// The entity tag that was computed from the content; nil to compute it.
    var contentTag: String?

    package var note: String?

    /// The path of the query that answers the command, relative to the base; nil without one that can be requested.
    var location: String?

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: Data? = nil, entityTag: String? = nil) {
        self.status = status
        self.headers = headers
        content = body
        self.entityTag = entityTag
    }

    /// A response with a problem (RFC 9457).
    package init(_ problem: ProblemDetails, status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        self.init(status: status, headers: headers)
        refusal = Refusal(problem: problem)
        self.headers[.contentType] = ProblemDetails.mediaType
    }
}

extension ServedResponse {
    /// Whether a successful response of this status has content (RFC 9110, sections 15.3.5 and 15.3.6).
    var mayHaveContent: Bool {
        status.kind == .successful && status != .noContent && status != .resetContent
    }

    /// Says which resource a command has created, and of which one the content is (RFC 9110, sections 8.7 and 10.2.2).
    mutating func addLocation(_ location: String) {
        let names: [HTTPField.Name?] = [status == .created ? .location : nil, body == nil ? nil : .contentLocation]
        for case let name? in names where !headers.contains(name) { headers[name] = location }
    }

    /// The content as the data of an event, which cannot be empty.
    package var eventData: Data { body ?? Data("null".utf8) }
}

// MARK: Refusals

extension ServedResponse {
    package init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        let problem = ProblemDetails(title: status.title, status: status.code, detail: detail)
        self.init(problem, status: status, headers: headers)
    }

    /// The response when a time limit of the server was exceeded.
    static var timedOut: ServedResponse {
        ServedResponse(.gatewayTimeout, "The request was not completed in time.")
    }

    /// The response to an invalid request, or nil if the server itself is at fault.
    init?(_ error: HTTPMessageError) {
        switch error {
        case .invalid(let field, _):
            self.init(.badRequest, "\(error)")
            refusal?.member = field
        case .unsupportedMediaType(let expected):
            // `Accept` lists the supported types (RFC 9110, section 15.5.16).
            self.init(
                .unsupportedMediaType,
                "\(error)",
                headers: expected.isEmpty ? [:] : [.accept: expected.joined(separator: ", ")]
            )
        default:
            return nil
        }
    }
}

// MARK: Problems

extension ServedResponse {
    /// A response with a domain error, whose properties are beside the members of RFC 9457; with `Retry-After` if it is
    /// a `TemporaryError` that says when to try again.
    ///
    /// - Throws: ``UnsendableProblem``.
    package init(_ problem: some HTTPProblem, _ json: JSONCoder) throws {
        let status = problem.status
        guard (400...599).contains(status.code) else {
            throw Self.unsendable(problem, "its status is \(status.code), but an error's is 400 to 599")
        }
        let details = ProblemDetails(
            type: type(of: problem).problemType,
            title: status.title.isEmpty ? nil : status.title,
            status: status.code,
            detail: problem.detail,
            extensions: try Self.members(of: problem, json)
        )
        self.init(details, status: status)
        refusal?.error = Refusal.Unhashed(error: problem)
        if let error = problem as? any TemporaryError { headers.append(contentsOf: Self.headers(of: error)) }
    }

    private static func members(of problem: some HTTPProblem, _ json: JSONCoder) throws -> [String: JSONValue] {
        let value: JSONValue
        do {
            value = try JSONDecoder().decode(JSONValue.self, from: json.encode(problem))
        } catch {
            throw unsendable(problem, "its properties cannot be written as JSON: \(error)")
        }
        guard case .object(let members) = value else {
            throw unsendable(
                problem,
                "it is encoded as a single value; it must have properties, or be an enum without raw values"
            )
        }
        if let clash = ProblemDetails.ownMembers.intersection(members.keys).min() {
            throw unsendable(problem, "its property \(clash) has the name of a member of RFC 9457; rename it")
        }
        return members
    }

    private static func unsendable(_ problem: some HTTPProblem, _ reason: String) -> UnsendableProblem {
        UnsendableProblem(problemType: type(of: problem).problemType, reason: reason)
    }
}

extension HTTPResponse.Status {
    /// The reason phrase as a server writes it in the status line.
    ///
    /// SwiftNIO has the phrases of RFC 7231 and RFC 4918 for two statuses that RFC 9110 renamed.
    package var title: String {
        switch code {
        case 413: "Payload Too Large"
        case 422: "Unprocessable Entity"
        default: reasonPhrase
        }
    }
}
