import DuetContext
import ServiceContextModule

/// Has commands of one type done over HTTP: what the server says besides is of no interest.
struct HTTPCommandExchange<C: HTTPCommand>: CommandExchange {
    private let exchange: MessageExchange<C>

    init(_ server: HTTPServer) throws {
        exchange = try MessageExchange(C.method.request, server, accept: "*/*, application/problem+json")
    }

    func send(_ command: C) async throws {
        _ = try await exchange.send(
            command,
            idempotencyKey: ServiceContext.current?.idempotencyKey(for: exchange.name)
        )
    }
}
