import Duet
public import DuetClusterEngine
import DuetContext
import Foundation

/// What became of a message on the node that handled it; thrown where it has no value.
enum MessageOutcome: Error {
    case value(Data)
    case error(name: String, Data)
    case failure(reason: String)
    /// A failure of a query that may pass.
    case unavailable(reason: String, retryAfter: Duration?)
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
        case "failure":
            let reason = String(decoding: response.body.prefix(Self.reasonLimit), as: UTF8.self)
            let pause = response.headers[Header.retryAfter]
            let duration = pause.flatMap(Int64.init).map { Duration.milliseconds(max(0, $0)) }
            self = pause == nil ? .failure(reason: reason) : .unavailable(reason: reason, retryAfter: duration)
        case let other?: self = .failure(reason: "its outcome \(other.safe(upTo: 20)) is unknown")
        }
    }

    /// The outcome of a message without a value: typed if it is declared; otherwise only the type of the error, because
    /// the rest may be secret.
    init(_ failure: MessageFailure) {
        switch failure {
        case .declared(let error), .refused(let error as any DeclaredError, isDeclared: true):
            do {
                self = .error(name: type(of: error).errorName, try ClusterCoding.encode(error))
            } catch {
                self = .failure(reason: "its \(qualifiedName(of: type(of: error))) cannot be encoded")
            }
        // The text describes the sender's own message.
        case .refused(let error, _): self = .failure(reason: "it was refused: \("\(error)".safe())")
        case .unreadable(let error as ClusterError): self = .failure(reason: "\(error)")
        case .unreadable: self = .failure(reason: "a value in it is not valid")
        // Nodes tell each other the faults of Duet itself.
        case .fault(let error) where error is ClusterError || error is DispatchError:
            self = .failure(reason: "\(error)")
        case .foreign(let error as any Error), .fault(let error):
            self = .failure(reason: "its handler threw \(qualifiedName(of: type(of: error)))")
        }
    }

    var envelope: Envelope {
        switch self {
        case .value(let data): Envelope(body: data)
        case .error(let name, let data): Envelope(headers: [Header.outcome: "error", Header.error: name], body: data)
        case .failure(let reason): Envelope(headers: [Header.outcome: "failure"], body: Data(reason.utf8))
        case .unavailable(let reason, let pause):
            Envelope(
                headers: [Header.outcome: "failure", Header.retryAfter: pause.map { "\($0.milliseconds)" } ?? ""],
                body: Data(reason.utf8)
            )
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
        case .unavailable(let reason, let pause):
            throw ClusterError.unavailable(message: message, reason: reason, retryAfter: pause)
        case .error(let name, let data):
            let all = errors + [AuthorizationError.self]
            guard let type = all.first(where: { $0.errorName.utf8.elementsEqual(name.utf8) }) else {
                let safeName = name.safe(upTo: ClusterCoding.longestName)
                let reason = "its error \(safeName) is not declared here; add its type to declaredErrors or to the list"
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
