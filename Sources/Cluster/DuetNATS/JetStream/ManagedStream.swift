#if NATS
    import DuetCluster
    import Synchronization

    /// A stream that is created when it is first used, and again if the servers have lost it.
    ///
    /// Functions throw ``TransportError`` and `CancellationError`.
    final class ManagedStream: Sendable {
        let jetStream: JetStream
        let configuration: StreamConfiguration
        /// The stream as it was found; nil until then, and after the connection was lost.
        private let known = Mutex<StreamInfo?>(nil)
        private let observation = Mutex<ConnectionObservation?>(nil)

        var name: String { configuration.name }

        init(_ jetStream: JetStream, _ configuration: StreamConfiguration) {
            self.jetStream = jetStream
            self.configuration = configuration
            let observation = jetStream.inbox.connection.observe { [weak self] event in
                if case .connected = event { self?.forget() }
            }
            self.observation.withLock { $0 = observation }
        }

        /// The stream must be looked for again.
        func forget() { known.withLock { $0 = nil } }

        /// Returns the stream as it was when it was last looked for, and creates or updates it at first.
        func ready() async throws -> StreamInfo {
            if let info = known.withLock({ $0 }) { return info }
            do {
                let info = try await find()
                known.withLock { $0 = info }
                return info
            } catch let error as JetStreamError {
                throw error.transportError
            }
        }

        func info(subjects: String? = nil) async throws -> StreamInfo {
            struct Request: Encodable { var subjectsFilter: String? }
            return try await withStream {
                try await self.jetStream.call("STREAM.INFO.\(self.name)", Request(subjectsFilter: subjects))
            }
        }

        func lastMessage(of subject: String) async throws -> StoredMessage? {
            struct Request: Encodable { let lastBySubj: String }
            return try await message(Request(lastBySubj: subject))
        }

        func message(at sequence: UInt64) async throws -> StoredMessage? {
            struct Request: Encodable { let seq: UInt64 }
            return try await message(Request(seq: sequence))
        }

        /// The first message of a subject, which may contain wildcards, from a number on; nil without one.
        func firstMessage(of subject: String, from sequence: UInt64) async throws -> StoredMessage? {
            struct Request: Encodable {
                let seq: UInt64
                let nextBySubj: String
            }
            return try await message(Request(seq: max(1, sequence), nextBySubj: subject))
        }

        private func message(_ request: some Encodable) async throws -> StoredMessage? {
            try await withStream {
                do {
                    return try await jetStream.call("STREAM.MSG.GET.\(name)", request, as: StoredReply.self).message
                } catch let error as JetStreamError where error.isMissingMessage {
                    return nil
                }
            }
        }

        struct Purge: Encodable {
            /// The first sequence that stays.
            var seq: UInt64?
            /// The number of messages that stay.
            var keep: UInt64?
        }

        func purge(_ request: Purge) async throws {
            struct Response: Decodable {}
            _ = try await withStream { try await jetStream.call("STREAM.PURGE.\(name)", request, as: Response.self) }
        }

        /// Removes the message with a number.
        ///
        /// - Returns: Whether there was one.
        func remove(at sequence: UInt64) async throws -> Bool {
            struct Request: Encodable { let seq: UInt64 }
            struct Response: Decodable {}
            return try await withStream {
                do {
                    _ = try await jetStream.call("STREAM.MSG.DELETE.\(name)", Request(seq: sequence), as: Response.self)
                    return true
                } catch let error as JetStreamError where error.isMissingMessage {
                    return false
                }
            }
        }

        /// Runs an operation that needs the stream, again while the server that responds does not know it.
        ///
        /// The servers may have lost it, or not all of them may know it yet.
        func withStream<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
            try await jetStream.repeating { _, remaining in
                _ = try await ready()
                do {
                    return try await operation()
                } catch let error as JetStreamError {
                    guard error.isNotFound, remaining() > .zero else { throw error.transportError }
                    forget()
                    return nil
                }
            }
        }

        /// Publishes a message to the stream.
        ///
        /// - Parameter makeRoom: Called if the stream is full, before a last attempt.
        /// - Throws: Also `tooLarge` for a message that the stream cannot hold even if it is empty.
        func publish(
            _ message: CoreMessage,
            makingRoom makeRoom: (() async throws -> Void)? = nil
        ) async throws -> PublishAck {
            if let limit = configuration.maxBytes.map(Int.init(clamping:)), message.storedSize > limit {
                throw TransportError.tooLarge(bytes: message.storedSize, limit: limit)
            }
            do {
                return try await jetStream.repeating { _, remaining in
                    _ = try await ready()
                    do {
                        return try await jetStream.publish(message)
                    } catch RequestFailure.noResponders where remaining() > .zero {
                        // The stream was lost, or has no leader at this moment.
                        forget()
                        return nil
                    } catch let failure as RequestFailure {
                        throw failure.transportError(message.subject, after: jetStream.timeout)
                    }
                }
            } catch let error as JetStreamError {
                guard error.isFull, let makeRoom else { throw error.transportError }
                try await makeRoom()
                return try await publish(message)
            }
        }

        private func find() async throws -> StreamInfo {
            try await jetStream.repeating { _, remaining in
                do {
                    return try await update(try await jetStream.call("STREAM.INFO.\(name)"))
                } catch let error as JetStreamError where error.isNotFound {
                    do {
                        return try await jetStream.call("STREAM.CREATE.\(name)", configuration)
                    } catch let error as JetStreamError where error.isNameInUse || error.hasOverlap {
                        // Another node was faster. Not every server knows the stream yet.
                        guard remaining() > .zero else { throw error }
                        return nil
                    }
                }
            }
        }

        private func update(_ info: StreamInfo) async throws -> StreamInfo {
            let existing = info.config
            guard Set(existing.subjects ?? []) == Set(configuration.subjects ?? []) else {
                throw TransportError.refused(
                    reason: "the stream \(name) has \(existing.subjects?.count ?? 0) subjects and not "
                        + "\(configuration.subjects?.count ?? 0), which NATSOptions.partitions sets. Use the same "
                        + "number on all nodes; to change it, let all commands be handled, then delete the stream"
                )
            }
            guard !configuration.matches(existing) else { return info }
            return try await jetStream.call("STREAM.UPDATE.\(name)", configuration)
        }
    }

    extension CoreMessage {
        /// The number of bytes that the message takes in the file of a stream (nats-server, `fileStoreMsgSize`).
        fileprivate var storedSize: Int { size + subject.utf8.count + 34 }
    }
#endif
