import Foundation

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
        return try HTTPAnswer(problem, json)
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
}
