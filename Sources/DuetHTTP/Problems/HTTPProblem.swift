public import HTTPTypes

/// A domain error that travels: thrown by a handler on the server, caught as the same type by the sender of the
/// message.
///
/// On the wire it is a problem of RFC 9457: its properties are extension members beside `type`, `title`, `status` and
/// `detail`, which none of them may be called.
public protocol HTTPProblem: Error, Codable, Sendable {
    /// The URI reference that identifies the problem (RFC 9457, section 3.1.1); never change one that was published.
    static var problemType: String { get }

    /// The status of the answer.
    var status: HTTPResponse.Status { get }

    /// What went wrong here, for a person; by default the error's own description, if its type has one.
    var detail: String? { get }
}

extension HTTPProblem {
    /// None: what Swift would say of the error names all of its properties, also those that are not encoded.
    public var detail: String? { nil }
}

extension HTTPProblem where Self: CustomStringConvertible {
    /// What the error says of itself.
    public var detail: String? { description }
}
