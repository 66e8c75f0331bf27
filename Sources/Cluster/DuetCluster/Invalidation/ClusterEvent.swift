import DuetClusterEngine
import Foundation

/// What nodes tell each other.
enum ClusterEvent {
    /// A command has ended, and has made values stale unless no handler ran, or it threw a declared error; in addition,
    /// those of what it has written, which is nil if that is not known.
    case commandEnded(LogPosition, RemoteInvalidation?, writes: String?, node: String)
    case invalidation(RemoteInvalidation, node: String)
    /// Only its position matters.
    case marker
    /// Something that this version does not know.
    case unknown

    /// The number of bytes of a command at which all values become stale instead, so that not every node receives it.
    private static let bodyLimit = 65_536

    /// The number of bytes of a tag; all values become stale in place of those with a longer one.
    private static let tagLimit = 1_024

    static var markerEnvelope: Envelope { Envelope(headers: ["Duet-Event": "marker"]) }

    static func ended(_ delivery: Delivery, hasChanged: Bool, writes: String?, node: String) -> Envelope {
        var envelope = Envelope(headers: [
            "Duet-Event": "ended", Header.message: delivery.command.message, Header.node: node,
            Header.partition: String(delivery.position.partition), Header.sequence: String(delivery.position.sequence),
        ])
        envelope.headers[Header.writes] = writes
        guard hasChanged else { return envelope }
        let body = delivery.command.envelope.body
        if body.count <= bodyLimit {
            envelope.headers["Duet-Changed"] = "by rules"
            envelope.body = body
        } else {
            envelope.headers["Duet-Changed"] = "everything"
        }
        return envelope
    }

    static func invalidation(_ invalidation: RemoteInvalidation, node: String) -> Envelope {
        var envelope = Envelope(headers: ["Duet-Event": "invalidation", Header.node: node])
        switch invalidation {
        case .command(let name, let body):
            envelope.headers["Duet-Command"] = name
            envelope.body = body
        case .query(let name): envelope.headers["Duet-Query"] = name
        case .tag(let tag): envelope.body = Data(tag.utf8)
        case .writes(let names): envelope.headers[Header.writes] = names
        case .everything: envelope.headers["Duet-Everything"] = "true"
        }
        return envelope
    }

    init(_ envelope: Envelope) {
        guard envelope.isReadable else {
            self = .unknown
            return
        }
        let headers = envelope.headers
        let node = headers[Header.node] ?? ""
        switch headers["Duet-Event"] {
        case "ended":
            guard let partition = headers[Header.partition].flatMap(Int.init),
                let sequence = headers[Header.sequence].flatMap(UInt64.init),
                let message = headers[Header.message], Self.isName(message)
            else {
                self = .unknown
                return
            }
            let position = LogPosition(partition: partition, sequence: sequence)
            let invalidation: RemoteInvalidation? =
                switch headers["Duet-Changed"] {
                case nil: nil
                case "by rules": .command(name: message, body: envelope.body)
                default: .everything
                }
            self = .commandEnded(position, invalidation, writes: headers[Header.writes], node: node)
        case "invalidation":
            if headers["Duet-Everything"] != nil {
                self = .invalidation(.everything, node: node)
            } else if let name = headers["Duet-Command"] {
                let command = RemoteInvalidation.command(name: name, body: envelope.body)
                self = Self.isName(name) ? .invalidation(command, node: node) : .unknown
            } else if let names = headers[Header.writes] {
                self = .invalidation(.writes(names), node: node)
            } else if let name = headers["Duet-Query"] {
                self = Self.isName(name) ? .invalidation(.query(name: name), node: node) : .unknown
            } else if envelope.body.count <= Self.tagLimit {
                self = .invalidation(.tag(String(decoding: envelope.body, as: UTF8.self)), node: node)
            } else {
                self = .unknown
            }
        case "marker": self = .marker
        default: self = .unknown
        }
    }

    /// Whether a text is short enough to be a name.
    private static func isName(_ text: String) -> Bool { text.utf8.count <= ClusterCoding.longestName }
}

enum RemoteInvalidation: Hashable {
    /// A command that a node handled without the log, for example because it came over HTTP.
    case command(name: String, body: Data)
    case query(name: String)
    case tag(String)
    /// Names of data in tracked sources that were written outside of commands of the log.
    case writes(String)
    case everything
}
