public import Duet
public import HTTPTypes

/// A domain error that travels over HTTP: a handler throws it, and a sender whose message declares it catches the same
/// type.
///
/// On the wire it is a problem of RFC 9457. Its properties are extension members beside `type`, `title`, `status`,
/// `detail` and `instance`, so no property may have one of these names.
///
/// ```swift
/// struct NoSuchList: HTTPProblem {
///     static let problemType = "https://example.com/problems/no-such-list"
///     let list: String
///     var status: HTTPResponse.Status { .notFound }
/// }
/// ```
public protocol HTTPProblem: DeclaredError {
    /// The URI reference that identifies the problem (RFC 9457, section 3.1.1); never change a published one.
    static var problemType: String { get }

    /// The status of the response.
    var status: HTTPResponse.Status { get }

    /// An explanation of this occurrence for people; by default the error's own description, if its type has one.
    var detail: String? { get }
}

extension HTTPProblem {
    /// The ``problemType``.
    public static var errorName: String { problemType }

    /// No detail, because Swift's default description contains all properties, including those that are not encoded.
    public var detail: String? { nil }
}

extension HTTPProblem where Self: CustomStringConvertible {
    /// The error's own description.
    public var detail: String? { description }
}

/// A problem that cannot be written in the format of RFC 9457.
///
/// The server logs it, and responds with 500.
public struct UnsendableProblem: Error, Hashable {
    package let problemType: String

    /// The fault, and how to correct it.
    package let reason: String
}

extension UnsendableProblem: CustomStringConvertible {
    /// The problem and the reason.
    public var description: String {
        "The problem \(problemType) cannot be sent: \(reason)."
    }
}
