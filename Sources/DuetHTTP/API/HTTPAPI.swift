package import HTTPTypes

/// The messages that are asked over HTTP: what a server mounts, and what a client may check itself against.
///
/// ```swift
/// let api = try HTTPAPI {
///     LikeVideo.self
///     Comments.self
///     Speakers.self
/// }
/// ```
public struct HTTPAPI: Sendable {
    /// What the messages have in common.
    public let settings: HTTPSettings

    /// The messages, in the order in which they were listed.
    public let endpoints: [HTTPEndpoint]

    /// What a server does with requests for them, in the same order.
    package let served: [ServedEndpoint]

    private let router: HTTPRouter

    /// Makes an API of the messages listed, and checks that each can be told from the others and read back as it was sent.
    ///
    /// - Throws: ``InvalidHTTPAPI`` with every fault.
    public init(
        _ settings: HTTPSettings = HTTPSettings(),
        @HTTPAPIBuilder _ endpoints: () -> [HTTPEndpoint]
    ) throws(InvalidHTTPAPI) {
        let endpoints = endpoints()
        let served = endpoints.map { $0.serve(settings) }
        let router = HTTPRouter(endpoints.map { ($0.method, $0.path) })
        let hidden = router.hidden.map { Self.fault(endpoints[$0.first], endpoints[$0.second]) }
        let problems = DeclaredProblems.faults(of: endpoints.map(\.message), settings)
        let faults = served.flatMap(\.faults) + hidden + problems
        guard faults.isEmpty else { throw InvalidHTTPAPI(faults) }
        self.settings = settings
        self.endpoints = endpoints
        self.served = served
        self.router = router
    }

    /// Finds the endpoint of a request.
    ///
    /// A segment is told by its literal first and by a placeholder after that. A `HEAD` finds the `GET`. Empty segments, those
    /// of a doubled slash or one at the end, match nothing.
    ///
    /// - Parameter path: The path of the request below the API's base, percent-encoded, without the query; a slash at its start
    ///   does not matter.
    package func route(_ method: HTTPRequest.Method, _ path: Substring) -> HTTPRoute {
        switch router.match(method, path) {
        case .found(let index, let parameters): .found(served[index], parameters: parameters)
        case .otherMethods(let methods): .methodNotAllowed(allowed: methods)
        case .none: .notFound(nearest: router.nearest(path))
        }
    }

    private static func fault(_ first: HTTPEndpoint, _ second: HTTPEndpoint) -> InvalidHTTPAPI.Fault {
        if first.messageName == second.messageName, first.path == second.path {
            return .init([first.messageName], "\(first.messageName) is listed twice. Remove one of them.")
        }
        let path = first.path == second.path ? first.path : "\(first.path), also written \(second.path)"
        return .init(
            [first.messageName, second.messageName],
            "\(first.messageName) and \(second.messageName) are both \(first.method) \(path). Give one another path or method."
        )
    }
}
