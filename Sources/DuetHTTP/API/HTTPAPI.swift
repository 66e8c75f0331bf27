package import HTTPTypes

/// The messages of an HTTP API, which a server mounts and a client can check its messages against.
///
/// ```swift
/// let api = try HTTPAPI {
///     LikeVideo.self
///     Comments.self
///     Speakers.self
/// }
/// ```
public struct HTTPAPI: Sendable {
    /// The settings that the messages share.
    public let settings: HTTPSettings

    /// The messages in the order of the list.
    public let endpoints: [HTTPEndpoint]

    /// The served endpoints of the messages, in the same order.
    package let served: [ServedEndpoint]

    private let router: HTTPRouter

    /// Creates an API and checks that its messages are distinguishable and read back as they were sent.
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
    /// Literals take precedence over placeholders. `HEAD` finds the endpoint of `GET`. Empty segments, as of a doubled
    /// or trailing slash, match nothing.
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
