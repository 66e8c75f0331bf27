import Duet
import DuetContext
import HTTPTypes
import ServiceContextModule

/// Handles commands by sending them to a server; the content of a successful response is ignored.
struct RemoteCommandHandler<Message: HTTPCommand>: CommandHandler {
    private let exchange: MessageExchange<Message>

    init(_ server: HTTPServer) throws {
        exchange = try MessageExchange(Message.method.request, server, accept: "*/*, application/problem+json")
    }

    func handle(_ command: Message) async throws {
        _ = try await exchange.send(
            command,
            idempotencyKey: ServiceContext.current?.idempotencyKey(for: exchange.name)
        )
    }
}

/// Handles queries by sending them to a server and reading the response's payload.
struct RemoteQueryHandler<Message: HTTPQuery>: QueryHandler {
    private let exchange: MessageExchange<Message>
    private let payloads: PayloadCoder<Message.Payload>
    private let acceptsAnyMediaType: Bool

    init(_ server: HTTPServer) throws {
        acceptsAnyMediaType = server.settings.acceptsAnyMediaType
        payloads = PayloadCoder(Message.coding ?? server.settings.coding)
        let mediaType = payloads.mediaTypes?.joined(separator: ", ") ?? "*/*"
        let accept = "\(mediaType), application/problem+json"
        let faults = PayloadCoder<Message.Payload>.faults(of: Message.self, server.settings)
        guard faults.isEmpty else { throw InvalidHTTPAPI(faults) }
        exchange = try MessageExchange(Message.method.request, server, accept: accept, isQuery: true)
    }

    func handle(_ query: Message) async throws -> Message.Value {
        let answer = try await exchange.send(query)
        let (response, body) = (answer.response, answer.body)
        do {
            if !acceptsAnyMediaType, !payloads.isAbsent(response, body),
                !payloads.reads(response.headerFields[.contentType])
            {
                throw exchange.failure(.mediaType, answer)
            }
            return try Message.value(from: payloads.payload(of: response, body), answering: query)
        } catch let error where !(error is CancellationError || error is HTTPFailure) {
            throw exchange.failure(.body(error), answer)
        }
    }
}
