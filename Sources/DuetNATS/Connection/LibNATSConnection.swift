#if NATS
    import CNats
    import Dispatch
    import DuetCluster
    import Foundation

    /// Core NATS on libnats, of which only the parts that do not block are used outside the connection's own threads.
    final class LibNATSConnection: CoreConnection {
        /// Runs calls that block; never the threads of Swift's tasks, of which there may be two.
        private static let blocking = DispatchQueue(label: "DuetNATS.blocking", attributes: .concurrent)

        /// The address of the library's connection, which lives as long as this object.
        private let address: UInt
        private let events: ConnectionEvents

        /// Connects, or begins to try if no server can be reached.
        ///
        /// - Throws: ``TransportError`` if a server refuses the node, or a setting is invalid.
        static func connect(
            to servers: [String],
            name: String,
            options: NATSOptions,
            observer: @escaping @Sendable (NATSEvent) -> Void
        ) async throws -> LibNATSConnection {
            try await withCheckedThrowingContinuation { continuation in
                blocking.async {
                    continuation.resume(
                        with: Result {
                            try LibNATSConnection(servers: servers, name: name, options: options, observer: observer)
                        }
                    )
                }
            }
        }

        private init(
            servers: [String],
            name: String,
            options: NATSOptions,
            observer: @escaping @Sendable (NATSEvent) -> Void
        ) throws {
            // One thread for each subscription is the default, which many routes make too many.
            nats_SetMessageDeliveryPoolSize(4)
            let events = ConnectionEvents(observer)
            let settings = try LibNATSSettings.make(servers: servers, name: name, options: options)
            // The library holds the object until the connection has ended: the event of that is the last one.
            let context = unsafe Unmanaged.passRetained(events)
            unsafe settings.setCallbacks(context.toOpaque())
            var connection: OpaquePointer?
            var status = unsafe natsConnection_Connect(&connection, settings.pointer)
            // The first attempt reports wrong credentials and certificates, which the library would try again, too.
            if [NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR].contains(status) {
                unsafe settings.setRetrying(context.toOpaque())
                status = unsafe natsConnection_Connect(&connection, settings.pointer)
            }
            guard let connection = unsafe connection, status == NATS_OK || status == NATS_NOT_YET_CONNECTED else {
                unsafe context.release()
                // The library reads the URLs only now, and its error would contain a part of one.
                if status == NATS_INVALID_ARG { throw LibNATSSettings.invalidURL }
                throw Self.error(status, "Connecting failed")
            }
            address = UInt(bitPattern: connection)
            self.events = events
            events.begin(status == NATS_OK ? .connected : .disconnected(reason: "no server can be reached"))
        }

        deinit {
            // Ends the threads of the connection, one of which may be running this.
            let address = address
            Self.blocking.async { unsafe natsConnection_Destroy(OpaquePointer(bitPattern: address)) }
        }

        private var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

        var isConnected: Bool { events.isConnected }

        var maxPayload: Int? {
            let bytes = unsafe natsConnection_GetMaxPayload(pointer)
            return bytes > 0 ? Int(bytes) : nil
        }

        func observe(_ observer: @escaping @Sendable (NATSEvent) -> Void) -> ConnectionObservation {
            events.observe(observer)
        }

        func publish(_ message: CoreMessage) throws {
            let status = unsafe message.payload.withUnsafeBytes { bytes in
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
            switch status {
            case NATS_OK: return
            case NATS_MAX_PAYLOAD: throw TransportError.tooLarge(bytes: message.size, limit: maxPayload ?? 0)
            default: throw Self.error(status, "Sending failed")
            }
        }

        func subscribe(
            _ subject: String,
            queue: String?,
            _ handler: @escaping @Sendable (CoreMessage) -> Void
        ) throws -> any CoreSubscription {
            try unsafe LibNATSSubscription(connection: self, pointer: pointer, subject, queue: queue, handler)
        }

        func close(isDraining: Bool) async {
            let address = address
            Self.blocking.async { [events] in
                let pointer = unsafe OpaquePointer(bitPattern: address)
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
