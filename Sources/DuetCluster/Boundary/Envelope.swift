public import Foundation

/// A message as a cluster carries it: bytes with headers beside them.
public struct Envelope: Hashable, Sendable {
    /// What travels beside the message, by names of ASCII letters, digits and hyphens; a value has no line break.
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
