/// Wraps the dispatch of one message type and forwards all other messages.
///
/// The closure knows the types of the message and its value, so an ordinary actor can store them. It may also call a
/// `@MainActor` class.
///
/// ```swift
/// intercepting(ListNotes.self) { query, next in
///     try await next.dispatch(query).filter { note in !note.hasPrefix("Private") }
/// }
/// ```
public struct InterceptingMiddleware<Intercepted: Message>: Middleware {
    /// Handles a message, usually by dispatching it to `next`, the layers further in and the handler.
    public typealias Interception =
        @Sendable (_ message: Intercepted, _ next: any Dispatcher) async throws -> Intercepted.Value

    /// Receives a message with its outcome.
    public typealias Observation =
        @Sendable (_ message: Intercepted, _ outcome: DispatchOutcome<Intercepted.Value>) async -> Void

    private let intercept: Interception
    private var preservesValues = false

    /// Creates the middleware of ``/Duet/Dispatcher/intercepting(_:_:)``.
    public init(_ type: Intercepted.Type, _ intercept: @escaping Interception) {
        self.intercept = intercept
    }

    /// Creates the middleware of ``/Duet/Dispatcher/after(_:_:)``.
    public init(after type: Intercepted.Type, _ observe: @escaping Observation) {
        self.init(type) { message, next in
            let value: Intercepted.Value
            do {
                value = try await next.dispatch(message)
            } catch {
                await observe(message, error is CancellationError ? .cancellation : .failure(error))
                throw error
            }
            await observe(message, .success(value))
            return value
        }
        preservesValues = true
    }

    /// Calls the closure with a message of its type, and forwards any other message.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        guard M.self == Intercepted.self else { return try await next.dispatch(message) }
        // Both types were found to be the same, so their values are too.
        let intercepted = unsafe unsafeBitCast(message, to: Intercepted.self)
        let value = try await intercept(intercepted, next)
        return unsafe unsafeBitCast(value, to: M.Value.self)
    }
}

extension InterceptingMiddleware: ValuePassing {
    package func passage<Q: Query>(of query: Q.Type) -> ValuePassage {
        preservesValues || Q.self != Intercepted.self ? .preserved : .changed
    }
}

/// The result of a dispatch: a value, an error, or a cancellation.
public enum DispatchOutcome<Value> {
    /// The message was handled and returned this value; `Void` for a command.
    case success(Value)

    /// The message failed. A command may have done its work nevertheless.
    case failure(any Error)

    /// The message was canceled. A command may have done its work nevertheless.
    case cancellation
}

extension DispatchOutcome: Sendable where Value: Sendable {}

extension Dispatcher {
    /// Returns this dispatcher with a closure around the dispatch of one message type.
    ///
    /// - Parameters:
    ///   - type: The type of the messages that `intercept` receives; messages of other types bypass it.
    ///   - intercept: Returns the message's value, usually that of `next.dispatch(message)`.
    public func intercepting<M: Message>(
        _ type: M.Type,
        _ intercept: @escaping InterceptingMiddleware<M>.Interception
    ) -> some Dispatcher {
        with(InterceptingMiddleware(type, intercept))
    }

    /// Returns this dispatcher with a closure that runs after each dispatch of one message type, before the caller sees
    /// the outcome.
    ///
    /// ```swift
    /// after(AddNote.self) { command, outcome in print(command.text, outcome) }
    /// ```
    ///
    /// The closure cannot change the outcome. After a cancellation, the closure runs in the canceled task.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - observe: Receives each message with its outcome.
    public func after<M: Message>(
        _ type: M.Type,
        _ observe: @escaping InterceptingMiddleware<M>.Observation
    ) -> some Dispatcher {
        with(InterceptingMiddleware(after: type, observe))
    }
}
