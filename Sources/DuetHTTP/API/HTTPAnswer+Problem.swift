import Foundation
import HTTPTypes

extension HTTPAnswer {
    /// A response with a domain error, whose properties are beside the members of RFC 9457.
    ///
    /// - Throws: ``UnsendableProblem``.
    package init(_ problem: some HTTPProblem, _ json: JSONCoder) throws {
        let status = problem.status
        guard (400...599).contains(status.code) else {
            throw Self.unsendable(problem, "its status is \(status.code), which is none of an error's, 400 to 599")
        }
        let details = ProblemDetails(
            type: type(of: problem).problemType,
            title: status.reasonPhrase.isEmpty ? nil : status.reasonPhrase,
            status: status.code,
            detail: problem.detail,
            extensions: try Self.members(of: problem, json)
        )
        self.init(details, status: status)
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
                "it is coded as a single value; it must have properties, or be an enum without raw values"
            )
        }
        if let clash = ProblemDetails.ownMembers.intersection(members.keys).min() {
            throw unsendable(problem, "its property \(clash) is called like a member of RFC 9457; rename it")
        }
        return members
    }

    private static func unsendable(_ problem: some HTTPProblem, _ reason: String) -> UnsendableProblem {
        UnsendableProblem(problemType: type(of: problem).problemType, reason: reason)
    }
}
