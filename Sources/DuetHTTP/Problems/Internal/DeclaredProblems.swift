import Foundation
import HTTPTypes

/// The errors that a message may be answered with: on the server known by type, on the client by identifier.
struct DeclaredProblems: Sendable {
    private let types: [String: any HTTPProblem.Type]
    private let json: JSONCoder

    init(of message: any HTTPMessage.Type, _ settings: HTTPSettings) {
        let all = message.problems + settings.problems
        types = Dictionary(all.map { ($0.problemType, $0) }) { first, _ in first }
        json = JSONCoder(message.coding ?? settings.coding)
    }

    /// The answer that an error is sent as, or nil when it is none that was declared.
    ///
    /// - Throws: ``UnsendableProblem`` when it was, but cannot be sent.
    func answer(for error: any Error) throws -> HTTPAnswer? {
        guard let problem = error as? any HTTPProblem, let declared = types[type(of: problem).problemType],
            declared == type(of: problem)
        else { return nil }
        let status = problem.status
        guard (400...599).contains(status.code) else {
            throw unsendable(problem, "its status is \(status.code), which is none of an error's, 400 to 599")
        }
        let details = ProblemDetails(
            type: type(of: problem).problemType,
            title: status.reasonPhrase.isEmpty ? nil : status.reasonPhrase,
            status: status.code,
            detail: problem.detail,
            extensions: try members(of: problem)
        )
        return HTTPAnswer(details, status: status)
    }

    /// What an answer tells of.
    enum Told {
        case error(any HTTPProblem)
        /// A problem without a type of its own here; why, and what to do about it, when there is something to do.
        case problem(note: String?)
    }

    /// The error that an answer tells of, if it was declared and its members are those of its type.
    ///
    /// - Parameter url: Where the answer comes from, which a relative `type` goes by (RFC 9457, section 3.1.1).
    func told(_ problem: ProblemDetails, body: Data, from url: URL?, to message: String) -> Told {
        guard problem.type != "about:blank" else { return .problem(note: nil) }
        let absolute = { URL(string: problem.type, relativeTo: url)?.absoluteString }
        guard let type = types[problem.type] ?? absolute().flatMap({ types[$0] }) else {
            let sentence = """
                Its problem \(problem.type.loggable) is declared neither by \(message) nor by its settings; to catch it as an error \
                of its own, add an HTTPProblem with this problemType to their problems.
                """
            return .problem(note: sentence)
        }
        do {
            return .error(try json.decode(type, from: body))
        } catch {
            let sentence =
                "Its problem \(problem.type.loggable) cannot be read as \(type), which declares it: \("\(error)".loggable)."
            return .problem(note: sentence)
        }
    }

    private func members(of problem: some HTTPProblem) throws -> [String: JSONValue] {
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

    private func unsendable(_ problem: some HTTPProblem, _ reason: String) -> UnsendableProblem {
        UnsendableProblem(problemType: type(of: problem).problemType, reason: reason)
    }
}
