public import Duet

/// How dispatchers are commonly written: closures over `Any`, in a dictionary, under the name of the message's type.
public final class ClosureDispatcher: Sendable {
    private let closures: [String: @Sendable (any Sendable) async throws -> Any]

    /// Makes a dispatcher of one handler each.
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

    /// Has the command handled.
    public func dispatch<C: Command>(_ command: C) async throws {
        guard let closure = closures[String(describing: C.self)] else { throw UnknownMessage() }
        _ = try await closure(command)
    }

    /// Has the query answered.
    public func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        guard let closure = closures[String(describing: Q.self)],
            let value = try await closure(query) as? Q.Value
        else { throw UnknownMessage() }
        return value
    }
}

/// No closure is filed under the message's name, or it is one of another type.
public struct UnknownMessage: Error {}
