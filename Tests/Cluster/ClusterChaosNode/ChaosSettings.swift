#if NATS
    import DuetCluster
    package import DuetNATS
    import Foundation

    /// The settings of a node, as one argument of its process.
    package struct ChaosSettings: Codable, Sendable {
        package var servers: [String]
        package var replicas = 1
        package var partitions = 4
        package var attempts = 6
        /// The time of redelivery in milliseconds.
        package var redelivery = 1_000
        /// The time of an operation on the log, and between two signals to the server, in seconds: longer than a test.
        package var timeout = 3_600
        package var pingInterval = 3_600
        /// The path of the database, whose tables exist.
        package var database: String
        /// How many of a hundred attempts to handle a command fail.
        package var failures = 0
        package var seed: UInt64 = 0

        /// The number of the first command that a sender writes.
        package var first = 0
        /// The number of transactions after which a sender ends; nil for none.
        package var count: Int?
        /// The number of the statement at which a sender kills itself; nil for none.
        package var lastStatement: Int?

        package init(servers: [String], database: String) {
            self.servers = servers
            self.database = database
        }

        init(json: String) throws {
            self = try JSONDecoder().decode(ChaosSettings.self, from: Data(json.utf8))
        }

        package var json: String {
            get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
        }

        /// Connects a node with these settings.
        package func connect() async throws -> NATSCluster {
            var options = NATSOptions()
            options.replicas = replicas
            options.partitions = partitions
            options.timeout = .seconds(timeout)
            options.pingInterval = .seconds(pingInterval)
            return try await NATSCluster.connect(to: servers, name: "chaos", options: options)
        }
    }
#endif
