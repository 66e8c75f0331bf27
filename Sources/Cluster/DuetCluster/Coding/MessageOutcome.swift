import Duet
public import DuetClusterEngine
import DuetContext
import Foundation

/// What became of a message on the node that handled it.
enum MessageOutcome: Sendable {
    case value(Data)
    case error(name: String, Data)
    case failure(reason: String)
    case behind

    /// The outcome of a dead letter whose handler has not kept another one.
    static let deadLetter = MessageOutcome.failure(reason: "it became a dead letter, which says why")

    /// The number of bytes of a reason that are kept.
    private static let reasonLimit = 4_096

    init(of response: Envelope) {
        switch response.headers[Header.outcome] {
        case nil: self = .value(response.body)
        case "error": self = .error(name: response.headers[Header.error] ?? "", response.body)
        case "behind": self = .behind
        case "failure": self = .failure(reason: String(decoding: response.body.prefix(Self.reasonLimit), as: UTF8.self))
        case let other?: self = .failure(reason: "its outcome \(other.safe(upTo: 20)) is unknown")
        }
    }

    /// The outcome of an error: typed if it is declared; otherwise only its type, because the rest may be secret.
    ///
    /// - Parameters:
    ///   - errors: The errors that the message declares.
    ///   - received: The errors that the handler received from other servers.
    init(_ error: any Error, declared errors: [any DeclaredError.Type], received: ReceivedErrors? = nil) {
        if let refusal = error as? Refusal {
            self.init(refusal.error, declared: errors)
            // The text describes the sender's own message.
            if case .failure = self { self = .failure(reason: "it was refused: \("\(refusal.error)".safe())") }
        } else if let declared = error as? any DeclaredError, Self.concernsSender(declared, errors, received) {
            do {
                self = .error(name: type(of: declared).errorName, try ClusterCoding.encode(declared))
            } catch {
                self = .failure(reason: "\(type(of: declared)) cannot be encoded")
            }
        } else if let known = error as? ClusterError {
            self = .failure(reason: "\(known)")
        } else if let known = error as? DispatchError {
            self = .failure(reason: "\(known)")
        } else {
            self = .failure(reason: "its handler threw \(qualifiedName(of: type(of: error)))")
        }
    }

    /// Whether the sender learns of an error.
    ///
    /// It learns of an authorization error, declared or not, unless another server has sent it: the credentials that
    /// were refused there are those of this node.
    private static func concernsSender(
        _ error: any DeclaredError,
        _ errors: [any DeclaredError.Type],
        _ received: ReceivedErrors?
    ) -> Bool {
        if error is AuthorizationError { return received?.contains(error) != true }
        return errors.contains { $0 == type(of: error) }
    }

    var envelope: Envelope {
        switch self {
        case .value(let data): Envelope(body: data)
        case .error(let name, let data): Envelope(headers: [Header.outcome: "error", Header.error: name], body: data)
        case .failure(let reason): Envelope(headers: [Header.outcome: "failure"], body: Data(reason.utf8))
        case .behind: Envelope(headers: [Header.outcome: "behind"])
        }
    }

    /// The encoded value.
    ///
    /// - Throws: The declared error; ``ClusterError``.
    func value(of message: String, declared errors: [any DeclaredError.Type]) throws -> Data {
        switch self {
        case .value(let data): return data
        case .behind: throw ClusterError.behind(message: message)
        case .failure(let reason): throw ClusterError.failed(message: message, reason: reason)
        case .error(let name, let data):
            let all = errors + [AuthorizationError.self]
            guard let type = all.first(where: { $0.errorName.utf8.elementsEqual(name.utf8) }) else {
                let safeName = name.safe(upTo: ClusterCoding.longestName)
                let reason = "its error \(safeName) is not declared here; add its type to declaredErrors"
                throw ClusterError.failed(message: message, reason: reason)
            }
            throw try ClusterCoding.decode(type, from: data, of: message)
        }
    }
}

extension Envelope {
    /// The outcome that a log keeps for a dead letter which has no other one.
    public static var deadLetter: Envelope { MessageOutcome.deadLetter.envelope }
}
