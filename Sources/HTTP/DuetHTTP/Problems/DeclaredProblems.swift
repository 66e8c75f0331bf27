import Duet
import DuetContext
import Foundation
import HTTPTypes
import Synchronization

/// The errors that the response to a message may carry: known by type on the server, and by identifier on the client.
struct DeclaredProblems {
    private let message: String
    private let types: [String: any HTTPProblem.Type]
    private let json: JSONCoder
    /// The undeclared types that were reported, each once.
    private let reported = ReportedTypes()

    /// - Parameter errors: The errors that the list of the message declares.
    init(of message: any HTTPMessage.Type, _ settings: HTTPSettings, _ errors: [any DeclaredError.Type]) {
        self.message = message.messageName
        let all =
            message.declaredProblems + errors.compactMap { $0 as? any HTTPProblem.Type } + [AuthorizationError.self]
        types = Dictionary(all.map { ($0.problemType, $0) }) { first, _ in first }
        json = JSONCoder(message.declaredCoding ?? settings.coding)
    }

    var all: [any DeclaredError.Type] { Array(types.values) }

    /// The response to a message that has no value.
    ///
    /// A problem that is not declared is sent too, with a note for the log, unless it came from another server.
    ///
    /// - Throws: What only the log describes: the fault; ``UnsendableProblem``; ``ForeignProblem``.
    func response(to failure: MessageFailure) throws -> ServedResponse {
        switch failure {
        case .unreadable(let error as HTTPMessageError):
            guard let response = ServedResponse(error) else { throw error }
            return response
        case .unreadable: return ServedResponse(.badRequest, "A value in the request is not valid.")
        case .refused(let error, _):
            if let response = try response(to: error) { return response }
            var refusal = ServedResponse(.unprocessableContent, "\(error)".safe())
            refusal.refusal?.error = ServedResponse.Refusal.Unhashed(error: error)
            return refusal
        case .fault(DispatchError.timedOut): return .timedOut
        case .declared(let error as any Error), .fault(let error):
            guard let response = try response(to: error) else { throw error }
            return response
        case .foreign(let error as AuthorizationError): throw error
        case .foreign(let error): throw ForeignProblem(problem: error, message: message)
        }
    }

    /// The response that carries a problem, or nil for another error.
    private func response(to error: any Error) throws -> ServedResponse? {
        if let error = error as? AuthorizationError { return ServedResponse(error) }
        guard let problem = error as? any HTTPProblem else { return nil }
        let type = type(of: problem)
        let known = types[type.problemType]
        // Of two types with one identifier, clients would decode the other one as the declared one.
        guard known == nil || known == type else { return nil }
        var response = try ServedResponse(problem, json)
        if known == nil, reported.insert(type) {
            response.note = """
                \(message) does not declare \(type), so that its clients receive an HTTPFailure. Add \
                .throwing(\(type).self) to its route, or the error to the list.
                """
        }
        return response
    }

    private final class ReportedTypes: Sendable {
        private let identifiers = Mutex<Set<String>>([])

        func insert(_ type: any HTTPProblem.Type) -> Bool {
            identifiers.withLock { $0.insert(type.problemType).inserted }
        }
    }

    /// The meaning of a problem that a client received.
    enum Interpretation {
        case error(any HTTPProblem)
        /// A problem without a declared type, with the reason and advice if there is any.
        case problem(note: String?)
    }

    /// Decodes a problem as the error that declares it.
    ///
    /// - Parameter url: The URL of the response, which a relative `type` is resolved against (RFC 9457, section 3.1.1).
    func interpret(_ problem: ProblemDetails, body: Data, from url: URL?, to message: String) -> Interpretation {
        guard problem.type != "about:blank" else { return .problem(note: nil) }
        let absolute = { URL(string: problem.type, relativeTo: url)?.absoluteString }
        guard let type = types[problem.type] ?? absolute().flatMap({ types[$0] }) else {
            let note = """
                Its problem \(problem.type.loggable) is declared by neither \(message) nor its list. \
                To catch it as a typed error, add .throwing(…) with the HTTPProblem of this problemType to its route.
                """
            return .problem(note: note)
        }
        do {
            return .error(try json.decode(type, from: body))
        } catch {
            let reason = "\(error)".loggable
            let note = "Its problem \(problem.type.loggable) cannot be read as \(type), which declares it: \(reason)."
            return .problem(note: note)
        }
    }
}

extension DeclaredProblems {
    /// The error that a field names, because the content has the format of an API; nil for one with properties.
    func error(named type: String, _ status: HTTPResponse.Status) -> (any HTTPProblem)? {
        if type == AuthorizationError.problemType {
            return [AuthorizationError.unauthenticated, .forbidden].first { $0.status == status }
        }
        return types[type].flatMap { try? json.decode($0, from: Data("{}".utf8)) }
    }
}

// MARK: Faults

extension DeclaredProblems {
    /// The faults of the problems that an API and its messages declare.
    ///
    /// A type may be declared any number of times, but an identifier belongs to one type alone.
    static func faults(
        of messages: [any HTTPMessage.Type],
        _ settings: HTTPSettings,
        _ errors: [any DeclaredError.Type]
    ) -> [String] {
        var known: [String: any HTTPProblem.Type] = [:]
        var faults: [String] = []

        func check(_ type: any HTTPProblem.Type, _ keys: HTTPCoding.Keys) {
            let identifier = type.problemType
            if let other = known[identifier] {
                guard other != type else { return }
                faults.append("\(other) and \(type) both have the problemType \(identifier). Give each its own.")
            } else {
                known[identifier] = type
                faults += sentences(on: type, KeyNames(keys))
            }
        }

        for error in errors {
            let fault = "The list declares \(error), which no HTTP response can carry: conform it to HTTPProblem."
            if let type = error as? any HTTPProblem.Type {
                check(type, settings.coding.keys)
            } else if !faults.contains(fault) {
                faults.append(fault)
            }
        }
        for message in messages {
            let keys = (message.declaredCoding ?? settings.coding).keys
            for type in message.declaredProblems { check(type, keys) }
        }
        return faults
    }

    private static func sentences(on type: any HTTPProblem.Type, _ names: KeyNames) -> [String] {
        var sentences: [String] = []
        if ["", "about:blank"].contains(type.problemType) {
            sentences.append("\(type) needs its own problemType, not “\(type.problemType)”.")
        }
        let schema = ReflectedSchema()
        _ = SchemaDecoder.reflect(type, schema) { _ in nil }
        switch schema.kind {
        case .scalar, .list, .dictionary:
            sentences.append(
                "\(type) is not encoded as properties with names. Make it a struct, or an enum without raw values."
            )
        case .object:
            sentences += schema.openKeyFaults(names.keys).map { "\(type) \($0)" }
            sentences += schema.properties.map { names.name($0.key) }.filter(ProblemDetails.ownMembers.contains)
                .map { "\(type) has a property that is encoded as \($0), a member that RFC 9457 defines. Rename it." }
        case .unknown, .cases: break
        }
        return sentences
    }
}

/// A problem of another server that a message does not declare.
///
/// The server logs it, and responds with 500.
struct ForeignProblem: Error, CustomStringConvertible {
    let problem: any DeclaredError
    let message: String

    var description: String {
        """
        \(type(of: problem)) was received from another server, and \(message) does not declare it. To send it on, add \
        .throwing(\(type(of: problem)).self) to its route. \("\(problem)".loggable)
        """
    }
}
