#if Hummingbird

    public import Duet
    import DuetContext
    public import DuetHTTP
    import DuetHummingbird
    import Hummingbird

    extension Place {
        /// A client and a server in this process, without a socket.
        ///
        /// A message that the API does not list is a finding. Examples with a principal are sent with a bearer token,
        /// which the server knows.
        ///
        /// - Parameters:
        ///   - api: The messages that the server mounts.
        ///   - makeClient: Returns the client for a server; by default an `HTTPDispatcher` for the same API.
        public static func http(
            _ api: HTTPAPI,
            makeClient: @escaping @Sendable (BaseURL, any HTTPClient) throws -> any Dispatcher
        ) -> Place {
            Place(.http) { visit, dispatcher in
                let destination = ArrivalDispatcher(dispatcher)
                let hasPrincipals = visit.suite.examples.contains { $0.principal != nil }
                let tokens = hasPrincipals ? ExampleTokens(principal: visit.example.principal) : nil
                let router = Router()
                try router.mount(api, authenticator: tokens) { _, _ in destination }
                var client: any HTTPClient = RouterHTTPClient(router)
                if visit.example.principal != nil {
                    client = BearerTokenHTTPClient(ExampleTokens.token, base: client)
                }
                return await visit.findings(
                    through: try makeClient(BaseURL("http://localhost"), client),
                    to: destination,
                    advice: advice
                )
            }
        }

        /// A client and a server in this process, without a socket.
        ///
        /// A message that the API does not list is a finding. Examples with a principal are sent with a bearer token,
        /// which the server knows.
        ///
        /// - Parameter api: The messages that the server mounts.
        public static func http(_ api: HTTPAPI) -> Place {
            http(api) { HTTPDispatcher(baseURL: $0, client: $1, api: api) }
        }

        /// A client and a server in this process, without a socket, for the list of the suite.
        ///
        /// - Parameters:
        ///   - settings: The settings that the messages share.
        ///   - statuses: Statuses that only the server can decide.
        public static func http(
            settings: HTTPSettings = HTTPSettings(),
            statuses: [SuccessStatus] = []
        ) -> Place {
            Place(.http) { visit, dispatcher in
                let messages = try visit.suite.listed
                let tokens =
                    messages.entries.contains(where: \.needsPrincipal)
                    ? ExampleTokens(principal: visit.example.principal) : nil
                let destination = ArrivalDispatcher(dispatcher)
                let router = Router()
                try router.mount(
                    messages,
                    destination,
                    settings: settings,
                    statuses: statuses,
                    authenticator: tokens
                )
                var client: any HTTPClient = RouterHTTPClient(router)
                if visit.example.principal != nil {
                    client = BearerTokenHTTPClient(ExampleTokens.token, base: client)
                }
                let sender = try HTTPDispatcher(
                    messages,
                    baseURL: BaseURL("http://localhost"),
                    client: client,
                    settings: settings
                )
                return await visit.findings(through: sender, to: destination, advice: advice)
            }
        }

        private static func advice(_ step: ExampleStep, _ expected: Outcome, _ actual: any Error) -> String? {
            switch actual {
            case HTTPMessageError.notInAPI, HTTPMessageError.notAnHTTPMessage:
                return "Or leave it out: .skipping(.http, because: …)"
            default:
                guard let error = expected.error, type(of: error) != type(of: actual) else { return nil }
                let type = type(of: error)
                let conform = error is any HTTPProblem ? "" : "Conform \(type) to HTTPProblem. "
                return "\(conform)Declare it: add .throwing(\(type).self) to the route of \(step.type)."
            }
        }
    }

    /// Knows one token, which stands for the principal of an example.
    private struct ExampleTokens: TokenAuthenticator {
        static let token = "example"

        let principal: Principal?

        func principal(bearing token: String) async throws -> Principal? { token == Self.token ? principal : nil }
    }

#endif
