#if NATS
    /// The parts of a consumer's configuration that this module sets; times are nanoseconds.
    struct ConsumerConfiguration: Encodable, Sendable {
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

    /// A consumer as the server reports it.
    struct ConsumerInfo: Decodable, Sendable {
        struct Sequence: Decodable, Sendable { let streamSeq: UInt64 }
        struct Configuration: Decodable, Sendable { let ackWait: Int64? }

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
            return try await call("CONSUMER.CREATE.\(stream)", request)
        }

        /// Returns a consumer; nil if there is none.
        func consumer(_ name: String, of stream: String) async throws -> ConsumerInfo? {
            do {
                return try await call("CONSUMER.INFO.\(stream).\(name)", as: ConsumerInfo.self)
            } catch let error as JetStreamError where error.isNotFound {
                return nil
            }
        }
    }

    /// The place of a delivered message, which its reply subject contains.
    struct DeliveredPosition: Sendable {
        /// 1 for the first delivery.
        let deliveries: Int
        let streamSequence: UInt64
        let consumerSequence: UInt64

        /// Reads `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`, or
        /// the form of newer servers with a domain and an account before the stream.
        init?(reply: String?) {
            guard let tokens = reply?.split(separator: "."), tokens.count >= 9, tokens[1] == "ACK" else { return nil }
            let first = tokens.count >= 11 ? 6 : 4
            guard let deliveries = Int(tokens[first]), let stream = UInt64(tokens[first + 1]),
                let consumer = UInt64(tokens[first + 2])
            else { return nil }
            self.deliveries = deliveries
            streamSequence = stream
            consumerSequence = consumer
        }
    }
#endif
