#if NATS
    import DuetNATS
    import FeedTesting
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Three servers that form a cluster, each a separate process.
    struct NATSServers: Sendable {
        let servers: [NATSServer]
        private let monitors: [ReservedPort]
        /// The ports of the routes, reserved until the end.
        private let routes: [ReservedPort]

        var urls: [String] { servers.map(\.url) }

        private init() throws {
            let routes = try (1...3).map { _ in try ReservedPort() }
            let monitors = try (1...3).map { _ in try ReservedPort() }
            let urls = routes.map { "nats://127.0.0.1:\($0.number)" }
            servers = try urls.enumerated()
                .map { number, url in
                    let arguments = [
                        "-js", "--name", "server-\(number)", "-m", String(monitors[number].number), "--cluster_name",
                        "test", "--cluster", url, "--routes", urls.joined(separator: ","),
                    ]
                    return try NATSServer(arguments, isTLS: false)
                }
            self.monitors = monitors
            self.routes = routes
        }

        /// Runs an operation with three servers, which are killed at the end.
        static func run<Value>(_ operation: (NATSServers) async throws -> Value) async throws -> Value {
            let servers = try NATSServers()
            let result: Result<Value, any Error>
            do {
                for server in servers.servers { try await server.start() }
                result = .success(try await operation(servers))
            } catch {
                result = .failure(error)
            }
            for server in servers.servers { await server.kill() }
            return try result.get()
        }

        /// Connects a node to any of the servers.
        func node() async throws -> NATSCluster {
            var options = NATSOptions.test
            options.replicas = 3
            options.timeout = .seconds(20)
            return try await NATSCluster.connect(to: urls, name: "test", options: options)
        }

        // MARK: State

        /// Waits until a stream has a leader, and returns that server.
        func leader(of stream: String) async throws -> NATSServer {
            try await eventually("\(stream) has a leader") {
                for monitor in monitors {
                    guard let name = await replica(of: stream, at: monitor)?.cluster?.leader else { continue }
                    if let number = name.last.flatMap({ Int(String($0)) }), servers.indices.contains(number) {
                        return servers[number]
                    }
                }
                return nil
            }
        }

        /// Waits until all servers have all messages of a stream.
        func waitUntilWhole(_ stream: String) async throws {
            try await eventually("all servers have \(stream)") { () -> Void? in
                var replicas: [StreamReplica] = []
                for monitor in monitors {
                    guard let replica = await replica(of: stream, at: monitor) else { return nil }
                    replicas.append(replica)
                }
                let isCurrent = replicas.contains { $0.cluster?.replicas?.count(where: \.isCurrent) == 2 }
                return isCurrent && Set(replicas.map(\.state)).count == 1 ? () : nil
            }
        }

        /// A stream as one server has it; nil if it does not respond, or does not have it.
        private func replica(of stream: String, at monitor: ReservedPort) async -> StreamReplica? {
            guard let url = URL(string: "http://127.0.0.1:\(monitor.number)/jsz?accounts=true&streams=true"),
                let (data, _) = try? await URLSession.shared.data(from: url),
                let state = try? JSONDecoder().decode(ServerState.self, from: data)
            else { return nil }
            return state.accounts?.flatMap { $0.streams ?? [] }.first { $0.name == stream }
        }
    }

    /// The report of a server under `/jsz` of its monitoring port.
    private struct ServerState: Decodable {
        struct Account: Decodable {
            let streams: [StreamReplica]?

            private enum CodingKeys: String, CodingKey { case streams = "stream_detail" }
        }

        let accounts: [Account]?

        private enum CodingKeys: String, CodingKey { case accounts = "account_details" }
    }

    private struct StreamReplica: Decodable {
        struct Cluster: Decodable {
            struct Replica: Decodable {
                let isCurrent: Bool

                private enum CodingKeys: String, CodingKey { case isCurrent = "current" }
            }

            let leader: String?
            let replicas: [Replica]?
        }

        struct State: Decodable, Hashable {
            let messages: Int
            let lastSequence: Int

            private enum CodingKeys: String, CodingKey { case messages, lastSequence = "last_seq" }
        }

        let name: String
        let cluster: Cluster?
        let state: State
    }
#endif
