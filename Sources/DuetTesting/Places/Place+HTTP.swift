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
            place(makeClient) { suite in (api, suite.examples.contains { $0.principal != nil }) }
        }

        /// A client and a server in this process, without a socket.
        ///
        /// A message that the API does not list is a finding. Examples with a principal are sent with a bearer token,
        /// which the server knows.
        ///
        /// - Parameter api: The messages that the server mounts.
        public static func http(_ api: HTTPAPI) -> Place {
            place(nil) { suite in (api, suite.examples.contains { $0.principal != nil }) }
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
            place(nil) { suite in
                let messages = try suite.listed
                let needsPrincipals = messages.entries.contains(where: \.needsPrincipal)
                return (try HTTPAPI(messages, settings, statuses: statuses), needsPrincipals)
            }
        }

        /// - Parameters:
        ///   - makeClient: Returns the client for a server; nil for an `HTTPDispatcher` for the same API.
        ///   - makeAPI: Returns the API, and whether the server knows principals.
        private static func place(
            _ makeClient: (@Sendable (BaseURL, any HTTPClient) throws -> any Dispatcher)?,
            _ makeAPI: @escaping @Sendable (MessageSuite) throws -> (api: HTTPAPI, knowsPrincipals: Bool)
        ) -> Place {
            Place(.http) { visit, dispatcher in
                let (api, knowsPrincipals) = try makeAPI(visit.suite)
                let destination = ArrivalDispatcher(dispatcher)
                let tokens = knowsPrincipals ? ExampleTokens(principal: visit.example.principal) : nil
                let router = Router()
                try router.mount(api, authenticator: tokens) { _, _ in destination }
                var client: any HTTPClient = RouterHTTPClient(router)
                if visit.example.principal != nil {
                    client = BearerTokenHTTPClient(ExampleTokens.token, base: client)
                }
                let server = try BaseURL("http://localhost")
                let sender: any Dispatcher =
                    try makeClient?(server, client) ?? HTTPDispatcher(baseURL: server, client: client, api: api)
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
