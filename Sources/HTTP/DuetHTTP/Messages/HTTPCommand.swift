public import Duet

/// A command that is sent as an HTTP request.
///
/// ```swift
/// struct RateTalk: IDCommand {
///     static let route: CommandRoute<Self> = .put("v1/talks/{id}/rating")
///
///     let id: String
///     let stars: Int
///     var comment: String?
/// }
/// ```
///
/// Properties that are not in the path are a JSON object in the body. For `DELETE` they are parameters of the query,
/// because content has no meaning there (RFC 9110, section 9.3.5).
public protocol HTTPCommand: Command, HTTPMessage where RouteMethod == CommandMethod {}

/// Sends one property as the body, and checks that a server can read it back.
///
/// The body is JSON, or bytes as ``HTTPBytes``. The other properties are parameters of the URL.
///
/// ```swift
/// struct SetTitle: BodyCommand {
///     static let route: CommandRoute<Self> = .put("v1/talks/{id}/title").bodyProperty("titles")
///
///     let id: String
///     let notify: Bool
///     let titles: [String: String]
///     var body: [String: String] { titles }
/// }
/// ```
public protocol BodyCommand: HTTPCommand {
    /// The type of the body, which is sent as JSON, or unchanged for ``HTTPBytes``.
    associatedtype Body: Codable & Sendable

    /// The body, which a server reads into the property that ``HTTPRoute/bodyProperty(_:)`` names.
    var body: Body { get }
}

extension BodyCommand {
    static var sendsBytes: Bool { Body.self == HTTPBytes.self }

    static var mayLackBytes: Bool { Body.self == HTTPBytes?.self }
}
