public import DuetCluster

#if NATS
    import DuetNATS
#endif

/// A cluster that carries the messages of the feed, and to which each process connects.
public struct FeedCluster: Sendable {
    private let connect: @Sendable () async throws -> (engine: any ClusterEngine, close: @Sendable () async -> Void)

    /// Creates a cluster on servers of NATS.
    ///
    /// - Parameters:
    ///   - servers: Addresses such as `nats://127.0.0.1:4222`.
    ///   - name: The name of the cluster, because several can share servers.
    ///   - timeout: The time that one attempt to store a command may take.
    /// - Throws: ``MissingNATS`` if this program was built without it.
    public init(servers: [String], name: String, timeout: Duration = .seconds(5)) throws(MissingNATS) {
        #if NATS
            connect = {
                var options = NATSOptions()
                options.timeout = timeout
                let cluster = try await NATSCluster.connect(to: servers, name: name, options: options)
                return (cluster, { await cluster.close() })
            }
        #else
            throw MissingNATS()
        #endif
    }

    /// Creates a cluster on an engine that exists already.
    public init(_ engine: any ClusterEngine) { self.init(engine) {} }

    /// Creates a cluster on an engine that exists already, and whose connection a function ends.
    package init(_ engine: any ClusterEngine, close: @escaping @Sendable () async -> Void) {
        connect = { (engine, close) }
    }

    /// Runs `body` as a node of the cluster, and ends the connection afterwards.
    ///
    /// - Throws: `TransportError` if the servers refuse the connection; the error that `body` throws.
    public func use<Value>(_ body: (any ClusterEngine) async throws -> Value) async throws -> Value {
        let (engine, close) = try await connect()
        do {
            let value = try await body(engine)
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }
}

/// The program cannot connect to NATS, because it was built without it.
public struct MissingNATS: Error, CustomStringConvertible {
    /// The remedy.
    public let description =
        "This feed was built without NATS. Build it with: swift build --traits EssentialFeed,NATS"
}
