#if NATS
    /// The parts of a consumer's configuration that this module sets; times are nanoseconds.
    struct ConsumerConfiguration: Encodable {
        /// The name of a consumer that is not durable.
        var name: String?
        var durableName: String?
        var deliverSubject: String?
        var filterSubject: String?
        var deliverPolicy = "all"
        var optStartSeq: UInt64?
        var ackPolicy: String
        var ackWait: Int64?
        var maxDeliver: Int?
        var maxAckPending: Int?
        var maxWaiting: Int?
        var idleHeartbeat: Int64?
        var flowControl: Bool?
        var inactiveThreshold: Int64?
        var memStorage: Bool?
        var numReplicas: Int?
    }

    struct ConsumerInfo: Decodable {
        struct Sequence: Decodable { @StreamSequence var streamSeq: UInt64 }
        struct Configuration: Decodable { let ackWait: Int64? }

        let name: String
        let config: Configuration
        let ackFloor: Sequence
        let numPending: UInt64
        let numAckPending: Int
        let numRedelivered: Int
    }

    extension JetStream {
        /// Creates a consumer, or updates it.
        ///
        /// - Throws: ``JetStreamError``; ``TransportError``; `CancellationError`.
        @discardableResult
        func createConsumer(_ stream: String, _ configuration: ConsumerConfiguration) async throws -> ConsumerInfo {
            struct Request: Encodable {
                let streamName: String
                let config: ConsumerConfiguration
            }
            let request = Request(streamName: stream, config: configuration)
            if let name = configuration.durableName {
                return try await call("CONSUMER.DURABLE.CREATE.\(stream).\(name)", request)
            }
            // Without a name, each attempt would create another one.
            return try await call("CONSUMER.CREATE.\(stream).\(configuration.name ?? RandomToken.make())", request)
        }

        func consumer(_ name: String, of stream: String) async throws -> ConsumerInfo? {
            do {
                return try await call("CONSUMER.INFO.\(stream).\(name)", as: ConsumerInfo.self)
            } catch let error as JetStreamError where error.isNotFound {
                return nil
            }
        }
    }
#endif
