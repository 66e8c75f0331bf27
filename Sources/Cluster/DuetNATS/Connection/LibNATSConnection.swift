#if NATS
    import CNats
    import DuetCluster
    import Foundation

    /// Core NATS on libnats, whose functions are called on one thread, because they may block.
    final class LibNATSConnection: CoreConnection {
        let calls: OutgoingCalls
        private let events: ConnectionEvents
        /// The address of the library's connection, which lives as long as this object.
        private let address: UInt

        /// Connects, or begins to try if no server can be reached.
        ///
        /// - Throws: ``TransportError`` if a server refuses the node, or a setting is invalid.
        static func connect(
            to servers: [String],
            name: String,
            options: NATSOptions,
            observer: @escaping EventObserver
        ) async throws -> LibNATSConnection {
            let calls = OutgoingCalls()
            return try await withCheckedThrowingContinuation { continuation in
                calls.add {
                    let connection = Result {
                        let settings = try LibNATSSettings.make(servers: servers, name: name, options: options)
                        return try LibNATSConnection(settings, calls, ConnectionEvents(observer))
                    }
                    continuation.resume(with: connection)
                }
            }
        }

        private init(_ settings: borrowing LibNATSSettings, _ calls: OutgoingCalls, _ events: ConnectionEvents) throws {
            // One thread for each subscription is the default, which many routes make too many.
            let pool = nats_SetMessageDeliveryPoolSize(4)
            guard pool == NATS_OK else { throw Self.error(pool, "Creating threads failed") }
            // The library holds the object until the connection has ended: the event of that is the last one.
            let context = unsafe Unmanaged.passRetained(events)
            var connection: OpaquePointer?
            var status = unsafe settings.setCallbacks(context.toOpaque())
            if status == NATS_OK { status = unsafe natsConnection_Connect(&connection, settings.pointer) }
            // The first attempt reports wrong credentials and certificates, which the library would try again, too.
            if [NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR].contains(status) {
                status = unsafe settings.setRetrying(context.toOpaque())
                if status == NATS_OK { status = unsafe natsConnection_Connect(&connection, settings.pointer) }
            }
            guard let connection = unsafe connection, status == NATS_OK || status == NATS_NOT_YET_CONNECTED else {
                unsafe context.release()
                // The library reads the URLs only now, and its error would contain a part of one.
                if status == NATS_INVALID_ARG { throw LibNATSSettings.invalidURL }
                throw Self.error(status, "Connecting failed")
            }
            address = UInt(bitPattern: connection)
            self.calls = calls
            self.events = events
            if status == NATS_OK { unsafe events.noteLimit(of: connection) }
            events.begin(status == NATS_OK ? .connected : .disconnected(reason: "no server can be reached"))
        }

        deinit {
            // Ends the threads of the connection, one of which may be running this.
            calls.add { [address] in unsafe natsConnection_Destroy(OpaquePointer(bitPattern: address)) }
        }

        /// The library's connection, for a call on the thread of ``calls``.
        var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

        var isConnected: Bool { events.isConnected }

        var maxPayload: Int? { events.maxPayload }

        func observe(_ observer: @escaping EventObserver) -> ConnectionObservation {
            events.observe(observer)
        }

        func publish(_ message: CoreMessage, onFailure: @escaping @Sendable (TransportError) -> Void) throws {
            guard !events.isClosed else { throw Self.error(NATS_CONNECTION_CLOSED, "Sending failed") }
            if let limit = maxPayload, message.size > limit {
                throw TransportError.tooLarge(bytes: message.size, limit: limit)
            }
            // The parts of a message take some memory, even if they are empty.
            try calls.add(bytes: message.size + message.subject.utf8.count + 256) { [self] in
                let status = send(message)
                switch status {
                case NATS_OK: break
                case NATS_MAX_PAYLOAD: onFailure(.tooLarge(bytes: message.size, limit: maxPayload ?? 0))
                default: onFailure(Self.error(status, "Sending failed"))
                }
            }
        }

        private func send(_ message: CoreMessage) -> natsStatus {
            unsafe message.payload.withUnsafeBytes { bytes in
                let data = unsafe bytes.bindMemory(to: CChar.self).baseAddress
                let count = Int32(clamping: bytes.count)
                if message.headers.isEmpty {
                    guard let reply = message.reply else {
                        return unsafe natsConnection_Publish(pointer, message.subject, data, count)
                    }
                    return unsafe natsConnection_PublishRequest(pointer, message.subject, reply, data, count)
                }
                var copy: OpaquePointer?
                var status = unsafe natsMsg_Create(&copy, message.subject, message.reply, data, count)
                for (name, value) in message.headers where status == NATS_OK {
                    status = unsafe natsMsgHeader_Set(copy, name, value)
                }
                if status == NATS_OK { status = unsafe natsConnection_PublishMsg(pointer, copy) }
                unsafe natsMsg_Destroy(copy)
                return status
            }
        }

        func subscribe(
            _ subject: String,
            queue: String?,
            _ handler: @escaping CoreMessageHandler
        ) throws -> any CoreSubscription {
            guard !events.isClosed else {
                throw Self.error(NATS_CONNECTION_CLOSED, "Subscribing to \(subject) failed")
            }
            return LibNATSSubscription(self, subject, queue: queue, handler)
        }

        /// Reports the failure of a call that nobody waits for.
        func report(_ status: natsStatus, _ action: String) {
            events.receive(.failure(reason: "\(Self.error(status, action))"))
        }

        func close(isDraining: Bool) async {
            calls.add { [self] in
                // Returns at once; the event that the connection has ended follows.
                if isDraining, events.isConnected, unsafe natsConnection_DrainTimeout(pointer, 5000) == NATS_OK {
                    return
                }
                unsafe natsConnection_Close(pointer)
            }
            await events.untilClosed()
        }

        /// The error of a status, which is read on the thread of the call that failed, and directly after it.
        static func error(_ status: natsStatus, _ action: String) -> TransportError {
            let text =
                unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "status \(status.rawValue)"
            let stack = unsafe nats_GetLastError(nil).map { unsafe String(cString: $0) } ?? ""
            let detail = stack.replacing(#/\([a-z_]+\.c:\d+\): /#, with: "")
            let reason = "\(action): \(text)" + (detail.isEmpty || detail == text ? "" : " (\(detail))")
            return switch status {
            case NATS_CONNECTION_CLOSED, NATS_NO_SERVER, NATS_CONNECTION_DISCONNECTED, NATS_STALE_CONNECTION,
                NATS_INSUFFICIENT_BUFFER, NATS_DRAINING, NATS_IO_ERROR, NATS_TIMEOUT:
                .connectionLost(reason: reason)
            case NATS_CONNECTION_AUTH_FAILED:
                .refused(reason: "\(reason). Check the user and the password, or the other credentials")
            case NATS_SSL_ERROR:
                .refused(reason: "\(reason). Check NATSOptions.tls and the host name in the URL")
            case NATS_SECURE_CONNECTION_REQUIRED:
                .refused(reason: "\(reason). The server expects TLS: set NATSOptions.tls")
            case NATS_SECURE_CONNECTION_WANTED:
                .refused(reason: "\(reason). The server has no TLS: remove NATSOptions.tls, or configure the server")
            default:
                .refused(reason: reason)
            }
        }
    }
#endif
