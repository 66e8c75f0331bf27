public import Duet

/// A message that can be sent over HTTP; the common part of ``HTTPCommand`` and ``HTTPQuery``.
///
/// The request follows from `Codable` and from ``route``.
public protocol HTTPMessage: Message, Codable {
    /// The methods of the message's kind: ``QueryMethod`` or ``CommandMethod``.
    associatedtype RouteMethod: HTTPRouteMethod

    /// Method and path, and what differs from the API's settings.
    ///
    /// An API and a client's dispatcher read it before the first message only, so it must not depend on anything that
    /// changes.
    static var route: HTTPRoute<Self, RouteMethod> { get }

    /// The stable name of this message, as ``/Duet/Message`` declares it.
    ///
    /// Declared here too, so that it can be used where only `DuetHTTP` is imported.
    static var messageName: String { get }
}

extension HTTPMessage {
    /// The problems of the route, which also arrive typed by other ways than HTTP.
    public static var declaredErrors: [any DeclaredError.Type] { route.problems }

    /// The problems of the route, for code that has only the type as `any HTTPMessage.Type`.
    static var declaredProblems: [any HTTPProblem.Type] { route.problems }

    static var declaredCoding: HTTPCoding? { route.coding }

    static var declaredEnvelope: String? { route.envelope }
}
