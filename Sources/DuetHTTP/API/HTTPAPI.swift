public import Duet
package import HTTPTypes

/// The messages of an HTTP API, which a server mounts and a client may be restricted to.
///
/// ```swift
/// let todos = try HTTPAPI(settings) {
///     FindTodos.self
///     RenameList.self
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

    /// Creates an API, and checks that its messages are distinguishable and can be read back as they were sent.
    ///
    /// - Throws: ``InvalidHTTPAPI`` with every fault.
    public init(
        _ settings: HTTPSettings = HTTPSettings(),
        @ListBuilder<HTTPEndpoint> _ endpoints: () -> [HTTPEndpoint]
    ) throws(InvalidHTTPAPI) {
        try self.init(settings, endpoints(), faults: [])
    }

    /// Creates the API of the messages of a list that HTTP carries.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - settings: The settings that the messages share.
    ///   - statuses: Statuses that only the server can decide.
    /// - Throws: ``InvalidHTTPAPI`` with every fault.
    public init(
        _ messages: MessageAPI,
        _ settings: HTTPSettings = HTTPSettings(),
        statuses: [SuccessStatus] = []
    ) throws(InvalidHTTPAPI) {
        let entries = messages.entries(of: .http)
        let faults =
            messages.faults(of: .http).map { InvalidHTTPAPI.Fault([$0.message], $0.description) }
            + entries.compactMap(\.httpFault)
        try self.init(settings, entries.compactMap { HTTPEndpoint($0, statuses) }, faults: faults)
    }

    private init(
        _ settings: HTTPSettings,
        _ endpoints: [HTTPEndpoint],
        faults: [InvalidHTTPAPI.Fault]
    ) throws(InvalidHTTPAPI) {
        let served = endpoints.map { $0.serve(settings) }
        let router = HTTPRouter(endpoints.map { ($0.method, $0.path) })
        let hidden = router.hidden.map { Self.fault(endpoints[$0.first], endpoints[$0.second]) }
        let problems = DeclaredProblems.faults(of: endpoints.map(\.message), settings)
        let faults = faults + served.flatMap(\.faults) + hidden + problems
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
    /// - Parameter path: The path of the request below the API's base, percent-encoded and without the query. A leading
    ///   slash is ignored.
    package func route(_ method: HTTPRequest.Method, _ path: Substring) -> RoutedRequest {
        switch router.match(method, path) {
        case .found(let index, let parameters): .found(served[index], parameters: parameters)
        case .otherMethods(let methods): .methodNotAllowed(allowed: methods)
        case .none: .notFound
        }
    }

    private static func fault(_ first: HTTPEndpoint, _ second: HTTPEndpoint) -> InvalidHTTPAPI.Fault {
        if first.messageName == second.messageName, first.path == second.path {
            return .init([first.messageName], "\(first.messageName) is listed twice. Remove one of them.")
        }
        let path = first.path == second.path ? first.path : "\(first.path), also written \(second.path)"
        return .init(
            [first.messageName, second.messageName],
            """
            \(first.messageName) and \(second.messageName) are both \(first.method) \(path). \
            Give one another path or method.
            """
        )
    }
}

/// The result of routing a request.
package enum RoutedRequest: Sendable {
    /// An endpoint and the decoded values of the path, by the names in braces.
    case found(ServedEndpoint, parameters: [String: String])

    /// The path exists with other methods, which include `HEAD` beside `GET`.
    case methodNotAllowed(allowed: [HTTPRequest.Method])

    /// An unknown path.
    case notFound
}

/// All faults in the messages of an API.
public struct InvalidHTTPAPI: Error, Hashable, Sendable {
    /// One fault and how to correct it.
    public struct Fault: Hashable, Sendable, CustomStringConvertible {
        /// The names of the messages with the fault.
        public let messages: [String]

        /// A description of the fault and how to correct it.
        public let description: String

        package init(_ messages: [String], _ description: String) {
            self.messages = messages
            self.description = description
        }
    }

    /// The faults in the order of the messages.
    public let faults: [Fault]

    package init(_ faults: [Fault]) {
        self.faults = faults
    }
}

extension InvalidHTTPAPI: CustomStringConvertible {
    /// The faults, one per line.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}
