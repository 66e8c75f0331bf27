#if NATS
    package import DuetCluster
    import DuetClusterEngine
    import Foundation
    import Synchronization

    /// Requests with a queue group for each route.
    final class NATSQueryTransport: QueryTransport {
        private let inbox: RequestInbox
        private let name: String
        private let registrations: Registrations
        private let servers = Mutex<[ObjectIdentifier: NATSQueryServer]>([:])
        /// Receives the cancellations of all routes, from the first one on that is served.
        private let cancellations = Mutex<(any CoreSubscription)?>(nil)

        init(_ inbox: RequestInbox, name: String, registrations: Registrations) {
            self.inbox = inbox
            self.name = name
            self.registrations = registrations
        }

        private var cancelSubject: String { "\(name).cancel" }

        private func subject(_ route: String) -> String { "\(name).query.\(SubjectToken.encode(route))" }

        func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
            let message = CoreMessage(subject: subject(route), request)
            try inbox.check(request, in: message)
            do {
                let response = try await inbox.request(message, within: timeout) { reply in
                    // Best effort: a handler that does not hear of it ends by itself.
                    try? inbox.connection.publish(CoreMessage(subject: cancelSubject, payload: Data(reply.utf8)))
                }
                if let failure = response.headers[EngineHeader.failure] { throw QueryFailure.error(failure) }
                return response.envelope
            } catch let failure as RequestFailure {
                throw failure.transportError(route, after: timeout)
            }
        }

        func serve(
            _ route: String,
            limit: Int,
            _ handler: @escaping EnvelopeHandler
        ) async throws -> any Registration {
            try hearCancellations()
            let server = NATSQueryServer(inbox, limit: limit, handler)
            try server.begin(subject(route))
            servers.withLock { $0[ObjectIdentifier(server)] = server }
            let registration = registrations.add {
                await server.stop()
                self.servers.withLock { $0[ObjectIdentifier(server)] = nil }
            }
            await inbox.roundTrip()
            return registration
        }

        private func hearCancellations() throws {
            try cancellations.withLock { subscription in
                guard subscription == nil else { return }
                subscription = try inbox.connection.subscribe(cancelSubject, queue: nil) { [weak self] message in
                    let request = String(decoding: message.payload.prefix(257), as: UTF8.self)
                    guard let self, inbox.isInbox(request) else { return }
                    let servers = servers.withLock { $0 }
                    for server in servers.values { server.cancel(request) }
                }
            }
        }
    }

    package enum QueryFailure {
        static func tooLarge(bytes: Int, limit: Int) -> String { "too-large \(bytes) \(limit)" }
        static let busy = "busy"

        package static func error(_ text: String) -> TransportError {
            let text = text.utf8.count <= 500 ? text : String(decoding: text.utf8.prefix(500), as: UTF8.self)
            let parts = text.utf8.split(separator: UInt8(ascii: " "))
            if parts.count == 3, parts[0].elementsEqual("too-large".utf8), let bytes = Int(Substring(parts[1])),
                let limit = Int(Substring(parts[2]))
            {
                return .tooLarge(bytes: bytes, limit: limit)
            }
            if text == busy { return .refused(reason: "too many requests wait at the node. Start more nodes") }
            return .refused(reason: text)
        }
    }
#endif
