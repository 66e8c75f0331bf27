#if NATS
    import DuetNATS
    import FeedTesting

    /// Three servers that form a cluster, each a separate process.
    struct NATSServers {
        let servers: [NATSServer]

        /// Runs an operation with three servers, which are killed at the end.
        static func run<Value>(_ operation: (NATSServers) async throws -> Value) async throws -> Value {
            let routes = try (1...3).map { _ in try ReservedPort() }
            let urls = routes.map { "nats://127.0.0.1:\($0.number)" }
            let servers = try urls.enumerated().map { number, url in
                let arguments = ["--cluster_name", "test", "--cluster", url, "--routes", urls.joined(separator: ",")]
                return try NATSServer(["-js", "--name", "server-\(number)"] + arguments, isTLS: false)
            }
            let result: Result<Value, any Error>
            do {
                for server in servers { try await server.start() }
                result = .success(try await operation(NATSServers(servers: servers)))
            } catch {
                result = .failure(error)
            }
            for server in servers { await server.kill() }
            return try result.get()
        }

        /// Connects a node to any of the servers.
        func node() async throws -> NATSCluster {
            var options = NATSOptions.test
            options.replicas = 3
            options.timeout = .seconds(20)
            return try await NATSCluster.connect(to: servers.map(\.url), name: "test", options: options)
        }
    }
#endif
