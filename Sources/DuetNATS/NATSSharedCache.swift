#if NATS
    import DuetCluster
    import Foundation

    /// Entries in a stream in memory that keeps the last message of each subject, as NATS's key-value buckets do.
    ///
    /// A full bucket of NATS refuses entries. This one removes the oldest.
    final class NATSSharedCache: SharedCache {
        private let stream: ManagedStream
        private let name: String
        private let timeout: Duration
        private let now: @Sendable () -> Date

        init(
            _ jetStream: JetStream,
            name: String,
            options: NATSOptions,
            now: @escaping @Sendable () -> Date = { .now }
        ) {
            self.name = name
            self.now = now
            timeout = options.cacheTimeout
            var entries = StreamConfiguration(
                name: "\(name)_CACHE",
                subjects: ["\(name).cache.*"],
                storage: "memory",
                replicas: options.replicas,
                maxAge: options.cacheRetention
            )
            entries.description = "Shared cache of Duet"
            entries.maxMsgsPerSubject = 1
            entries.maxBytes = Int64(options.cacheBytes)
            entries.allowDirect = true
            entries.duplicateWindow = min(.seconds(1), options.cacheRetention).nanoseconds
            stream = ManagedStream(JetStream(inbox: jetStream.inbox, timeout: options.cacheTimeout), entries)
        }

        func entry(for key: String) async throws -> SharedEntry? {
            guard let stored = try await stored(key), !isExpired(stored.message),
                let storedKey = stored.message[header: EngineHeader.key], storedKey.utf8.elementsEqual(key.utf8)
            else { return nil }
            return SharedEntry(envelope: stored.message.envelope, revision: stored.sequence)
        }

        func insert(_ envelope: Envelope, for key: String, lifetime: Duration, ifRevision: UInt64?) async throws
            -> UInt64?
        {
            var message = CoreMessage(subject: subject(key), envelope)
            message[header: EngineHeader.key] = key
            let expiry = now().timeIntervalSince1970 * 1000 + Double(lifetime.nanoseconds) / 1_000_000
            message.headers[EngineHeader.expiry] = String(Int64(expiry.rounded(.up)))
            try stream.jetStream.inbox.check(envelope, in: message)
            if let revision = try await publish(message, ifRevision: ifRevision) { return revision }
            // There is no entry for the caller if the last message is expired, or the mark of one that was removed.
            guard ifRevision == 0, let stored = try await stored(key), isExpired(stored.message) else { return nil }
            return try await publish(message, ifRevision: stored.sequence)
        }

        func remove(_ key: String) async throws {
            var message = CoreMessage(subject: subject(key))
            message.headers[EngineHeader.removed] = "1"
            _ = try await publish(message, ifRevision: nil)
        }

        private func subject(_ key: String) -> String { "\(name).cache.\(SubjectToken.encode(key))" }

        private func isExpired(_ message: CoreMessage) -> Bool {
            guard message.headers[EngineHeader.removed] == nil,
                let expiry = message.headers[EngineHeader.expiry].flatMap({ Double($0) })
            else { return true }
            return expiry <= now().timeIntervalSince1970 * 1000
        }

        private func publish(_ message: CoreMessage, ifRevision: UInt64?) async throws -> UInt64? {
            try checkConnection()
            var message = message
            if let ifRevision { message.headers[EngineHeader.expectedSequence] = String(ifRevision) }
            do {
                // A repeated attempt would find its own revision.
                return try await stream.publish(message, isRepeated: false).seq
            } catch let error as JetStreamError where error.isWrongSequence {
                return nil
            } catch let error as JetStreamError {
                throw error.transportError
            }
        }

        private func stored(_ key: String) async throws -> (message: CoreMessage, sequence: UInt64)? {
            try checkConnection()
            _ = try await stream.ready()
            let request = CoreMessage(subject: "$JS.API.DIRECT.GET.\(stream.name).\(subject(key))")
            do {
                let message = try await stream.jetStream.inbox.request(request, within: timeout)
                guard message.status == nil, let sequence = message.headers["Nats-Sequence"].flatMap({ UInt64($0) })
                else {
                    return nil
                }
                return (message, sequence)
            } catch RequestFailure.noResponders {
                // The servers have lost the stream, which the next use creates.
                stream.forget()
                return nil
            } catch let failure as RequestFailure {
                throw failure.transportError("the shared cache", after: timeout)
            }
        }

        /// A cache that does not respond must not delay its users.
        private func checkConnection() throws {
            guard !stream.jetStream.inbox.connection.isConnected else { return }
            throw TransportError.connectionLost(reason: "the shared cache cannot be reached")
        }
    }
#endif
