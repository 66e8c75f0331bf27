package import Duet
package import DuetClusterEngine
import DuetContext

/// A failure of the cluster itself, and not of a handler.
@nonexhaustive
public enum TransportError: Error, Hashable, CustomStringConvertible {
    /// No node serves the route.
    case noNode(route: String)

    /// No response arrived in time.
    case timedOut(route: String, after: Duration)

    /// The connection was lost, so that it is unknown whether the request has arrived.
    case connectionLost(reason: String)

    /// An envelope has more bytes than the cluster carries.
    case tooLarge(bytes: Int, limit: Int)

    /// The engine refused something, for example because of its configuration.
    case refused(reason: String)

    /// The failure, and what to do.
    ///
    /// Text of servers and other nodes is on one line, without characters that a terminal interprets.
    public var description: String {
        switch self {
        case .noNode(let route): "No node of the cluster serves \(route.safe()). Start one that does."
        case .timedOut(let route, let duration): "No node answered \(route.safe()) within \(duration)."
        case .connectionLost(let reason): "The connection to the cluster was lost: \(reason.safe())."
        case .tooLarge(let bytes, let limit):
            "\(bytes) bytes are more than the cluster carries, which is \(limit). Send a reference to large content."
        case .refused(let reason): "The cluster refused: \(reason.safe())."
        }
    }
}

extension TransportError: CommandRejecting {
    package func rejection(of command: String) -> CommandRejection? {
        if case .tooLarge = self { .tooLarge } else { nil }
    }
}

extension Envelope {
    /// - Throws: ``TransportError/refused(reason:)`` for headers that a cluster does not carry.
    package func checkHeaders() throws {
        guard !hasValidHeaders else { return }
        throw TransportError.refused(
            reason: "an envelope has at most \(Self.headerCount) headers and \(Self.headerBytes) bytes of them, with "
                + "names of \(Self.headerNameBytes) ASCII characters and values of \(Self.headerValueBytes) bytes, "
                + "which \(ForeignText.markReason)"
        )
    }
}
