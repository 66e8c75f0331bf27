#if NATS
    import DuetCluster
    import DuetContext
    package import Foundation

    /// JetStream, whose programming interface is JSON over requests (docs.nats.io, "JetStream wire API Reference").
    package struct JetStream: Sendable {
        let inbox: RequestInbox
        /// The time within which an operation must succeed, including all attempts.
        let timeout: Duration
        let clock: any Clock<Duration>

        /// The time after which an attempt is repeated: the server that leads a stream may have failed.
        private static let attempt: Duration = .seconds(2)

        /// The largest number of bytes of a response: a message of the largest size that a server can take, as text.
        private static let largest = 128 << 20

        /// Calls an operation, and repeats it while the servers cannot carry it out.
        ///
        /// - Throws: ``JetStreamError`` if the server refuses it; ``TransportError``; `CancellationError`.
        func call<Response: Decodable & Sendable>(
            _ operation: String,
            _ body: some Encodable = Nothing(),
            as type: Response.Type = Response.self
        ) async throws -> Response {
            let request = CoreMessage(subject: "$JS.API.\(operation)", payload: try Self.encode(body))
            return try await repeating(operation, isMissingJetStream: true) { limit in
                let response = try await inbox.request(request, within: limit)
                return try Self.decode(Response.self, from: response.payload)
            }
        }

        /// Publishes a message, and returns when the stream has stored it.
        ///
        /// - Throws: ``JetStreamError`` if the stream refuses it; ``RequestFailure/noResponders`` if there is no
        ///   stream; ``TransportError``; `CancellationError`.
        func publish(_ message: CoreMessage) async throws -> PublishAck {
            try await repeating(message.subject, isMissingJetStream: false) { limit in
                let response = try await inbox.request(message, within: limit)
                return try PublishAck(response)
            }
        }

        private func repeating<Value: Sendable>(
            _ operation: String,
            isMissingJetStream: Bool,
            _ body: (Duration) async throws -> Value
        ) async throws -> Value {
            try await repeating { number, remaining in
                do {
                    return try await body(max(.milliseconds(1), min(remaining(), Self.attempt)))
                } catch RequestFailure.noResponders where !isMissingJetStream {
                    throw RequestFailure.noResponders
                } catch RequestFailure.noResponders where number > 4 {
                    throw TransportError.refused(
                        reason: "JetStream is not enabled on the server. Start it as nats-server -js -sd FOLDER"
                    )
                } catch let failure as RequestFailure {
                    guard remaining() <= .zero || inbox.isClosed else { return nil }
                    throw failure.transportError(operation, after: timeout)
                } catch let error as JetStreamError where error.isTemporary {
                    guard remaining() <= .zero else { return nil }
                    // Not refused: the next attempt may succeed, and finds what this one has stored.
                    throw TransportError.timedOut(route: operation, after: timeout)
                }
            }
        }

        /// Makes attempts, with pauses between them, until one has a value.
        ///
        /// - Parameter attempt: Gets its number and the time that is left; returns nil for another one.
        func repeating<Value>(
            _ attempt: (_ number: Int, _ remaining: () -> Duration) async throws -> Value?
        ) async throws -> Value {
            let deadline = Deadline(in: timeout, clock: clock)
            var number = 1
            while true {
                if let value = try await attempt(number, { deadline.remaining }) { return value }
                try await clock.sleep(for: .milliseconds(min(400, 50 << min(number, 3))))
                number += 1
            }
        }

        private static func encode(_ body: some Encodable) throws -> Data {
            if body is Nothing { return Data() }
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return try encoder.encode(body)
        }

        /// Reads the body of a response.
        ///
        /// - Throws: ``JetStreamError``; ``TransportError/refused(reason:)``.
        package static func decode<Response: Decodable & Sendable>(
            _ type: Response.Type = Response.self,
            from data: Data
        ) throws -> Response {
            guard data.count <= largest, ForeignText.fault(inJSON: data) == nil else {
                throw TransportError.refused(
                    reason: "a response of JetStream has \(data.count) bytes, or text without end"
                )
            }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            do {
                return try decoder.decode(Reply<Response>.self, from: data).result.get()
            } catch let error as DecodingError {
                throw TransportError.refused(reason: "a response of JetStream is not understood (\(error))")
            }
        }
    }

    /// The body of an operation that has none.
    struct Nothing: Encodable {}

    private struct Reply<Response: Decodable & Sendable>: Decodable {
        private enum CodingKeys: CodingKey { case error }

        let result: Result<Response, JetStreamError>

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let error = try container.decodeIfPresent(JetStreamError.self, forKey: .error) {
                result = .failure(error)
            } else {
                result = .success(try Response(from: decoder))
            }
        }
    }

    struct PublishAck: Decodable {
        @StreamSequence var seq: UInt64
        let duplicate: Bool?
    }

    extension PublishAck {
        private static let decoder = JSONDecoder()

        /// - Throws: ``JetStreamError``; ``TransportError``.
        fileprivate init(_ response: CoreMessage) throws {
            // Converting the names of members takes longer than everything else here.
            if ForeignText.fault(inJSON: response.payload) == nil,
                let ack = try? Self.decoder.decode(PublishAck.self, from: response.payload), ack.seq > 0
            {
                self = ack
            } else {
                self = try JetStream.decode(PublishAck.self, from: response.payload)
            }
        }
    }

    /// An error of JetStream (nats-server, server/errors.json).
    struct JetStreamError: Error, Decodable {
        let code: Int
        let errCode: Int?
        let description: String?

        var isNotFound: Bool { code == 404 }

        /// A message was removed, or never existed; not the stream.
        var isMissingMessage: Bool { errCode == 10037 || errCode == 10043 || errCode == 10057 || errCode == 10014 }

        /// Another stream of this name has another configuration.
        var isNameInUse: Bool { errCode == 10058 }

        /// Another stream has a subject in common: also the stream of this name, while another node creates it.
        var hasOverlap: Bool { errCode == 10065 }

        /// The stream, the account or the server has no room.
        var isFull: Bool { [10002, 10023, 10047, 10077].contains(errCode) }

        /// The servers elect a leader, or start; they are still storing an earlier attempt, or have too many requests.
        ///
        /// Errors that only a setting resolves have the code 503, too: no resources, a full stream, no JetStream.
        var isTemporary: Bool {
            [10158, 10167].contains(errCode) || code == 503 && ![10023, 10039, 10076, 10077].contains(errCode)
        }

        var transportError: TransportError {
            let text = description ?? "error \(errCode ?? code) of JetStream"
            return switch errCode {
            case 10039, 10076: .refused(reason: "\(text). Start the server as nats-server -js -sd FOLDER")
            case 10074, 10005: .refused(reason: "\(text). NATSOptions.replicas needs as many servers in a cluster")
            case 10047, 10028, 10023:
                .refused(reason: "\(text). Raise the limits of JetStream on the server, or lower those of NATSOptions")
            case 10077: .refused(reason: "\(text). The command log is full: NATSOptions.commandBytes")
            default: .refused(reason: text)
            }
        }
    }
#endif
