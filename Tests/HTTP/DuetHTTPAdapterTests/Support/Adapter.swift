import DuetAsyncHTTPClient
import DuetHTTP
import DuetTesting
import DuetURLSession

/// The clients that run the same tests.
enum Adapter: CaseIterable {
    case asyncHTTPClient
    case urlSession

    /// Whether this is libcurl under FoundationNetworking, whose limits some tests state.
    var isURLSessionOnLinux: Bool {
        #if canImport(FoundationNetworking)
            self == .urlSession
        #else
            false
        #endif
    }

    /// Runs a test with a client that is shut down afterwards, and whose deadline passes only by a test's clock.
    func withClient(
        deadline: Duration = .seconds(30),
        maximumBodySize: Int = 16 * 1024 * 1024,
        clock: any Clock<Duration> = ManualClock(),
        trusting pem: String? = nil,
        offersHTTP2: Bool = true,
        connectionsPerHost: Int? = nil,
        test: (ProbedClient) async throws -> Void
    ) async throws {
        let client: ProbedClient
        switch self {
        case .asyncHTTPClient:
            var configuration = NIOHTTPClient.Configuration(deadline: deadline, maximumBodySize: maximumBodySize)
            if let pem { try configuration.trust(pem: pem) }
            configuration.offersHTTP2 = offersHTTP2
            if let connectionsPerHost { configuration.connectionsPerHost = connectionsPerHost }
            let base = NIOHTTPClient(configuration: configuration, clock: clock)
            client = ProbedClient(base: base) { try await base.shutdown() }
        case .urlSession:
            var configuration = URLSessionHTTPClient.Configuration(deadline: deadline, maximumBodySize: maximumBodySize)
            if let connectionsPerHost { configuration.connectionsPerHost = connectionsPerHost }
            let base = URLSessionHTTPClient(configuration: configuration, clock: clock)
            client = ProbedClient(base: base) { base.shutdown() }
        }
        do {
            try await test(client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// Runs a test with a server and a client, which are both shut down afterwards.
    func withServer(
        _ script: @escaping @Sendable (ReceivedRequest) -> [Step],
        deadline: Duration = .seconds(30),
        maximumBodySize: Int = 16 * 1024 * 1024,
        clock: any Clock<Duration> = ManualClock(),
        test: (RawServer, ProbedClient) async throws -> Void
    ) async throws {
        let server = try await RawServer.start(script)
        try await withClient(deadline: deadline, maximumBodySize: maximumBodySize, clock: clock) { client in
            try await test(server, client)
        }
        try await server.stop()
    }
}
