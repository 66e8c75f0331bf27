public import Duet

/// A dispatcher as it is commonly written: a dictionary from the name of a message's type to a closure over `Any`.
public final class ClosureDispatcher: Sendable {
    private let closures: [String: @Sendable (any Sendable) async throws -> Any]

    /// Creates a dispatcher with one handler for commands and one for queries.
    public init<Q: QueryHandler & Sendable, C: CommandHandler & Sendable>(query: Q, command: C) {
        closures = [
            String(describing: Q.Message.self): { message in
                guard let message = message as? Q.Message else { throw UnknownMessage() }
                return try await query.handle(message)
            },
            String(describing: C.Message.self): { message in
                guard let message = message as? C.Message else { throw UnknownMessage() }
                return try await command.handle(message)
            },
        ]
    }

    /// Dispatches a command.
    public func dispatch<C: Command>(_ command: C) async throws {
        guard let closure = closures[String(describing: C.self)] else { throw UnknownMessage() }
        _ = try await closure(command)
    }

    /// Dispatches a query.
    public func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        guard let closure = closures[String(describing: Q.self)],
            let value = try await closure(query) as? Q.Value
        else { throw UnknownMessage() }
        return value
    }
}

/// There is no closure for the message's name, or it has another type.
public struct UnknownMessage: Error {}
