#if NATS
    import DuetClusterEngine

    /// The durable consumer of a partition, which all nodes share.
    struct CommandConsumer {
        let stream: ManagedStream
        let subject: String
        let partition: Int
        let redelivery: Duration

        init(_ stream: ManagedStream, subject: String, partition: Int, options: ProcessingOptions) {
            self.stream = stream
            self.subject = subject
            self.partition = partition
            // A command that ends its process also ends the attempts of the other partitions there. If all were
            // delivered again after the same time, they would meet again each time, and all become dead letters.
            redelivery = options.redelivery * (1 + Double(partition % 8) / 40)
        }

        static func name(of partition: Int) -> String { "partition-\(partition)" }

        var name: String { Self.name(of: partition) }

        /// Creates the consumer unless it exists, or applies the time of redelivery to it.
        ///
        /// - Throws: ``TransportError``; `CancellationError`.
        func create() async throws {
            var configuration = ConsumerConfiguration(ackPolicy: "explicit")
            configuration.durableName = name
            configuration.filterSubject = subject
            configuration.ackWait = redelivery.nanoseconds
            // The worker makes a dead letter of a command that was delivered too often. The limit of the server would
            // leave the command where it is, without a word.
            configuration.maxDeliver = -1
            configuration.maxAckPending = 1
            configuration.maxWaiting = 512
            try await stream.withStream {
                // A node that joins others changes nothing.
                let existing = try await stream.jetStream.consumer(name, of: stream.name)
                if existing?.config.ackWait == configuration.ackWait { return }
                try await stream.jetStream.createConsumer(stream.name, configuration)
            }
        }
    }
#endif
