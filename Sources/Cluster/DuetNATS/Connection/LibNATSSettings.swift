#if NATS
    import CNats
    import DuetCluster
    import Foundation

    @safe
    struct LibNATSSettings: ~Copyable {
        let pointer: OpaquePointer

        /// The error of a URL, which it does not contain, because a URL may contain a password.
        static var invalidURL: TransportError {
            .refused(reason: "A server is not a URL such as nats://127.0.0.1:4222")
        }

        private init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

        /// - Throws: ``TransportError/refused(reason:)`` if a setting is invalid, or a file cannot be read.
        static func make(servers: [String], name: String, options: NATSOptions) throws -> LibNATSSettings {
            var created: OpaquePointer?
            let status = unsafe natsOptions_Create(&created)
            guard let pointer = unsafe created, status == NATS_OK else {
                throw LibNATSConnection.error(status, "Creating options failed")
            }
            let settings = unsafe LibNATSSettings(pointer)
            try settings.configure(servers: servers, name: name, options: options)
            return settings
        }

        private func configure(servers: [String], name: String, options: NATSOptions) throws {
            try setServers(servers)
            try set("name", unsafe natsOptions_SetName(pointer, name))
            try set("timeout", unsafe natsOptions_SetTimeout(pointer, options.serverTimeout.milliseconds))
            try set("ping interval", unsafe natsOptions_SetPingInterval(pointer, options.pingInterval.milliseconds))
            // Without it, a server that does not read blocks a call for as long as its connection exists.
            let deadline = options.serverTimeout.milliseconds
            try set("write deadline", unsafe natsOptions_SetWriteDeadline(pointer, deadline))
            try set("pings", unsafe natsOptions_SetMaxPingsOut(pointer, 2))
            try set("reconnect", unsafe natsOptions_SetMaxReconnect(pointer, -1))
            try set("reconnect wait", unsafe natsOptions_SetReconnectWait(pointer, 250))
            try set("reconnect jitter", unsafe natsOptions_SetReconnectJitter(pointer, 100, 250))
            // Without it, a lone message waits for a millisecond.
            try set("sending", unsafe natsOptions_SetSendAsap(pointer, true))
            try set("delivery", unsafe natsOptions_UseGlobalMessageDelivery(pointer, true))
            try set("pending messages", unsafe natsOptions_SetMaxPendingMsgs(pointer, 65_536))
            if let credentials = options.credentials { try setCredentials(credentials) }
            if let tls = options.tls { try setTLS(tls) }
        }

        deinit { unsafe natsOptions_Destroy(pointer) }

        /// Has the library report to a retained ``ConnectionEvents``, which is released when the connection has ended.
        func setCallbacks(_ context: UnsafeMutableRawPointer) -> natsStatus {
            let disconnected: natsConnectionHandler = { connection, context in
                let reason = unsafe lastError(of: connection) ?? "the server closed it"
                unsafe ConnectionEvents.at(context)?.receive(.disconnected(reason: reason))
            }
            let closed: natsConnectionHandler = { connection, context in
                let reason = unsafe lastError(of: connection) ?? "it was closed"
                unsafe ConnectionEvents.at(context)?.receive(.closed(reason: reason))
                if let context = unsafe context { unsafe Unmanaged<ConnectionEvents>.fromOpaque(context).release() }
            }
            let failed: natsErrHandler = { connection, subscription, status, context in
                let event: NATSEvent
                if status == NATS_SLOW_CONSUMER {
                    let subject = unsafe subscription.flatMap { unsafe natsSubscription_GetSubject($0) }
                    event = .slow(subject: unsafe subject.map { unsafe String(cString: $0) } ?? "a subject")
                } else {
                    let text = unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "an error"
                    event = .failure(reason: unsafe lastError(of: connection) ?? text)
                }
                unsafe ConnectionEvents.at(context)?.receive(event)
            }
            let statuses = [
                unsafe natsOptions_SetReconnectedCB(pointer, connected, context),
                unsafe natsOptions_SetDisconnectedCB(pointer, disconnected, context),
                unsafe natsOptions_SetClosedCB(pointer, closed, context),
                unsafe natsOptions_SetErrorHandler(pointer, failed, context),
            ]
            return statuses.first { $0 != NATS_OK } ?? NATS_OK
        }

        /// Has the library try forever if the first attempt fails.
        func setRetrying(_ context: UnsafeMutableRawPointer) -> natsStatus {
            unsafe natsOptions_SetRetryOnFailedConnect(pointer, true, connected, context)
        }

        private func setServers(_ servers: [String]) throws {
            guard !servers.isEmpty else { throw TransportError.refused(reason: "No server is given") }
            var texts = unsafe servers.map { unsafe UnsafePointer<CChar>(strdup($0)) }
            defer { unsafe texts.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
            guard unsafe natsOptions_SetServers(pointer, &texts, Int32(clamping: texts.count)) == NATS_OK else {
                throw Self.invalidURL
            }
        }

        private func setCredentials(_ credentials: NATSCredentials) throws {
            switch credentials.kind {
            case .password(let user, let password):
                try set("user", unsafe natsOptions_SetUserInfo(pointer, user, password))
            case .token(let token):
                try set("token", unsafe natsOptions_SetToken(pointer, token))
            case .file(let path):
                try set("credentials file \(path)", unsafe natsOptions_SetUserCredentialsFromFiles(pointer, path, nil))
            }
        }

        private func setTLS(_ tls: NATSTLS) throws {
            try set("TLS", unsafe natsOptions_SetSecure(pointer, true))
            if let path = tls.authorities {
                try set("authorities \(path)", unsafe natsOptions_LoadCATrustedCertificates(pointer, path))
            }
            if let path = tls.certificate {
                guard let key = tls.key else {
                    throw TransportError.refused(reason: "The certificate \(path) has no key")
                }
                try set("certificate \(path)", unsafe natsOptions_LoadCertificatesChain(pointer, path, key))
            }
        }

        private func set(_ option: String, _ status: natsStatus) throws {
            guard status != NATS_OK else { return }
            throw LibNATSConnection.error(status, "The option \(option) is invalid")
        }
    }

    extension ConnectionEvents {
        fileprivate static func at(_ context: UnsafeMutableRawPointer?) -> ConnectionEvents? {
            unsafe context.map { unsafe Unmanaged<ConnectionEvents>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Notes the largest number of bytes that the server of a connection takes.
        ///
        /// The library takes a lock for it, so that it is called on its threads only, and once for each connection.
        func noteLimit(of connection: OpaquePointer?) {
            let bytes = unsafe natsConnection_GetMaxPayload(connection)
            if bytes > 0 { note(maxPayload: Int(clamping: bytes)) }
        }
    }

    private let connected: natsConnectionHandler = { connection, context in
        guard let events = unsafe ConnectionEvents.at(context) else { return }
        unsafe events.noteLimit(of: connection)
        events.receive(.connected)
    }

    private func lastError(of connection: OpaquePointer?) -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe natsConnection_GetLastError(connection, &text) != NATS_OK, let text = unsafe text else {
            return nil
        }
        let error = unsafe String(cString: text)
        return error.isEmpty ? nil : error
    }
#endif
