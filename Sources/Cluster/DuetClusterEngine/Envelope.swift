import DuetContext
public import Foundation

/// A message as a cluster carries it: bytes with headers beside them.
public struct Envelope: Hashable, Sendable {
    /// What travels beside the message, by names of ASCII letters, digits and hyphens.
    ///
    /// A cluster carries at most 128 headers and 65,536 bytes of them, with names of 128 and values of 8,192 bytes at
    /// most. A value has no line break, and at most 30 combining characters in a row.
    public var headers: [String: String]

    /// The encoded message, value or error.
    public var body: Data

    /// Creates an envelope.
    public init(headers: [String: String] = [:], body: Data = Data()) {
        self.headers = headers
        self.body = body
    }

    /// The number of bytes that count against the limit of an engine: those of the body and of the headers.
    public var size: Int { headers.reduce(body.count) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}

extension Envelope {
    /// The header of an envelope that arrives in place of one beyond the limits.
    package static let unreadableHeader = "Duet-Unreadable"

    package static let headerCount = 128
    package static let headerBytes = 65_536
    package static let headerNameBytes = 128
    package static let headerValueBytes = 8_192

    /// Whether the headers are within the limits.
    ///
    /// They are compared as text only after this, because comparing text can take very long.
    package var hasValidHeaders: Bool {
        headers.count <= Self.headerCount && size - body.count <= Self.headerBytes
            && headers.allSatisfy { name, value in
                (1...Self.headerNameBytes).contains(name.utf8.count) && value.utf8.count <= Self.headerValueBytes
                    && name.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !ForeignText.hasLongRun(value.utf8)
            }
    }

    /// What arrives in place of an envelope whose headers are beyond the limits; no node reads it.
    package static var unreadable: Envelope { Envelope(headers: [unreadableHeader: "1"]) }
}
