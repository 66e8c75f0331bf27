import Duet
import Synchronization

/// Finds the carrier of a message by its type, and makes it when the first message of the type is sent.
final class CarrierTable: Sendable {
    private struct Carriers {
        var commands: [ObjectIdentifier: any AnyObject & Sendable] = [:]
        /// Apart from `commands`, because one type may be both a command and a query.
        var queries: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    }

    private let server: HTTPServer
    private let carriers = Mutex(Carriers())

    init(_ server: HTTPServer) {
        self.server = server
    }

    func command<C: Command>(_ type: C.Type) -> CommandCarrier<C> {
        let carrier = carrier(type, \.commands) {
            guard let type = type as? any HTTPCommand.Type else {
                return CommandCarrier<C>(.failure(HTTPMessageError.notAnHTTPMessage(message: C.messageName)))
            }
            return makeCarrier(type)
        }
        // The table files a carrier under the type of its own message, so the one found here is a `CommandCarrier<C>`.
        return unsafe unsafeDowncast(carrier, to: CommandCarrier<C>.self)
    }

    func query<Q: Query>(_ type: Q.Type) -> QueryCarrier<Q> {
        let carrier = carrier(type, \.queries) {
            guard let type = type as? any HTTPQuery.Type else {
                return QueryCarrier<Q>(.failure(HTTPMessageError.notAnHTTPMessage(message: Q.messageName)))
            }
            return makeCarrier(type)
        }
        // The table files a carrier under the type of its own message, so the one found here is a `QueryCarrier<Q>`.
        return unsafe unsafeDowncast(carrier, to: QueryCarrier<Q>.self)
    }

    private func carrier(
        _ type: any Any.Type,
        _ table: WritableKeyPath<Carriers, [ObjectIdentifier: any AnyObject & Sendable]>,
        make: () -> any AnyObject & Sendable
    ) -> any AnyObject & Sendable {
        let key = ObjectIdentifier(type)
        if let known = carriers.withLock({ $0[keyPath: table][key] }) { return known }
        // Outside the lock, because it runs code of the message's type. Of two that were made at once the first one stays.
        let made = make()
        return carriers.withLock { carriers in
            let kept = carriers[keyPath: table][key] ?? made
            carriers[keyPath: table][key] = kept
            return kept
        }
    }

    private func makeCarrier<C: HTTPCommand>(_ type: C.Type) -> any AnyObject & Sendable {
        CommandCarrier<C>(
            Result {
                try check(type)
                return try HTTPCommandExchange<C>(server)
            }
        )
    }

    private func makeCarrier<Q: HTTPQuery>(_ type: Q.Type) -> any AnyObject & Sendable {
        QueryCarrier<Q>(
            Result {
                try check(type)
                return try HTTPQueryExchange<Q>(server)
            }
        )
    }

    private func check(_ type: any HTTPMessage.Type) throws(HTTPMessageError) {
        guard let endpoints = server.endpoints, !endpoints.contains(where: { $0.message == type }) else { return }
        throw .notInAPI(message: type.messageName)
    }
}
