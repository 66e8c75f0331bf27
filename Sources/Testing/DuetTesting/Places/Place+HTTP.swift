#if Hummingbird

    public import Duet
    import DuetContext
    public import DuetHTTP
    import DuetHummingbird
    import Hummingbird

    extension Place {
        /// A client and a server in this process, without a socket.
        ///
        /// Examples with a principal are sent with a bearer token, which the server knows.
        ///
        /// - Parameters:
        ///   - settings: The settings that the messages share.
        ///   - statuses: Statuses that only the server can decide.
        ///   - makeClient: Returns the client for a server; by default an `HTTPDispatcher` for the list of the suite.
        public static func http(
            settings: HTTPSettings = HTTPSettings(),
            statuses: [SuccessStatus] = [],
            makeClient: (@Sendable (BaseURL, any HTTPClient) throws -> any Dispatcher)? = nil
        ) -> Place {
            Place(name: .http) { visit, dispatcher in
                let messages = visit.suite.api
                let destination = ArrivalDispatcher(dispatcher)
                let knowsPrincipals =
                    messages.needsPrincipal
                    || visit.suite.examples.contains { $0.principal != nil }
                let tokens = knowsPrincipals ? ExampleTokens(principal: visit.example.principal) : nil
                let router = Router()
                let options = MountOptions(settings: settings, statuses: statuses)
                try router.mount(messages, authenticator: tokens, options: options) { _, _ in destination }
                var client: any HTTPClient = RouterHTTPClient(router)
                if visit.example.principal != nil {
                    client = BearerTokenHTTPClient(ExampleTokens.token, base: client)
                }
                let server = try BaseURL("http://localhost")
                let sender: any Dispatcher =
                    try makeClient?(server, client)
                    ?? HTTPDispatcher(messages, baseURL: server, client: client, settings: settings)
                let findings = await visit.findings(through: sender, to: destination, declaration: declaration)
                return await findings + visit.unsteadyContents(from: dispatcher, settings)
            }
        }

        private static func declaration(_ step: ExampleStep, _ error: any Error) -> String {
            let type = type(of: error)
            let conform = error is any HTTPProblem ? "" : "Conform \(type) to HTTPProblem. "
            return """
                \(conform)Declare it: add .throwing(\(type).self) to the route of \(step.type), or the error to the \
                list.
                """
        }
    }

    extension Visit {
        /// Finds queries whose values are encoded in another way for another request.
        fileprivate func unsteadyContents(from dispatcher: any Dispatcher, _ settings: HTTPSettings) async -> [Finding]
        {
            var findings: [Finding] = []
            for (index, step) in example.steps.enumerated() {
                guard let query = step.message as? any HTTPQuery, let value = try? await step.value(dispatcher),
                    await query.hasUnsteadyContent(with: value, settings)
                else { continue }
                let advice = """
                    The content of a response differs from request to request for the same value, and a server keeps \
                    the first one. Add .encodingEachTime() to the route of \(step.type).
                    """
                findings.append(Finding(self, index, [advice]))
            }
            return findings
        }
    }

    extension HTTPQuery {
        fileprivate func hasUnsteadyContent(with value: any Sendable, _ settings: HTTPSettings) async -> Bool {
            guard !Self.route.encodesEachTime else { return false }
            let caller = Caller(principal: Principal.current, isServed: true)
            let encode = { @Sendable in
                caller.run { (value as? Value).flatMap { try? content(with: $0, settings) } }
            }
            return await Task.detached { encode() }.value != encode()
        }
    }

    /// Knows one token, which stands for the principal of an example.
    private struct ExampleTokens: TokenAuthenticator {
        static let token = "example"

        let principal: Principal?

        func principal(bearing token: String) async throws -> Principal? { token == Self.token ? principal : nil }
    }

#endif
