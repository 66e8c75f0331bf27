import DuetContext
import HTTPTypes
import ServiceContextModule

/// Has commands of one type done over HTTP: what the server says besides is of no interest.
struct HTTPCommandExchange<C: HTTPCommand>: CommandExchange {
    private let exchange: MessageExchange<C>

    init(_ server: HTTPServer) throws {
        exchange = try MessageExchange(C.method.request, server, accept: "*/*, application/problem+json")
    }

    func send(_ command: C) async throws {
        var fields = HTTPFields()
        if let key = ServiceContext.current?.idempotencyKey {
            // What a field cannot hold would be replaced, and two keys might come out alike.
            guard !key.isEmpty, HTTPField.isValidValue(key) else {
                throw HTTPMessageError.unsendable(
                    message: C.messageName,
                    property: "its idempotency key",
                    reason: "must be one line of at least one character"
                )
            }
            fields[.idempotencyKey] = key
        }
        _ = try await exchange.send(command, adding: fields)
    }
}
