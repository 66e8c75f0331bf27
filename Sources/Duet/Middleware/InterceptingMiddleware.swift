/// Wraps the dispatch of one message type and passes all other messages on.
///
/// The closure knows the message's type, so that a middleware with state needs no type erasure. It may call an actor or
/// run on the main actor.
///
/// ```swift
/// let dispatcher = standard.with(
///     .intercepting(ListNotes.self) { query, next in
///         if let notes = await cache.notes(for: query) { return notes }
///         let notes = try await next.dispatch(query)
///         await cache.store(notes, for: query)
///         return notes
///     }
/// )
/// ```
public struct InterceptingMiddleware<Intercepted: Message>: Middleware {
    /// Handles a message with the rest of the way to the handler.
    public typealias Interception =
        @Sendable (_ message: Intercepted, _ next: any Dispatcher) async throws -> Intercepted.Value

    private let intercept: Interception

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - type: The type of the messages that `intercept` receives; messages of other types go past it.
    ///   - intercept: Returns the message's value, usually that of `next.dispatch(message)`.
    public init(_ type: Intercepted.Type, _ intercept: @escaping Interception) {
        self.intercept = intercept
    }

    /// Calls the closure with a message of its type, and passes on any other message.
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        guard M.self == Intercepted.self else { return try await next.dispatch(message) }
        // Both types were found to be the same, so their values are too.
        let intercepted = unsafe unsafeBitCast(message, to: Intercepted.self)
        let value = try await intercept(intercepted, next)
        return unsafe unsafeBitCast(value, to: M.Value.self)
    }
}

/// How the dispatch of a message ended.
public enum DispatchOutcome<Value> {
    /// The message was handled and returned this value; `Void` for a command.
    case success(Value)

    /// The message failed. A command may have done its work nevertheless.
    case failure(any Error)

    /// The message was canceled. A command may have done its work nevertheless.
    case cancellation
}

extension DispatchOutcome: Sendable where Value: Sendable {}

extension Middleware {
    /// Wraps the dispatch of one message type, with the type known.
    ///
    /// - Parameters:
    ///   - type: The type of the messages that `intercept` receives; messages of other types go past it.
    ///   - intercept: Returns the message's value, usually that of `next.dispatch(message)`.
    public static func intercepting<M: Message>(
        _ type: M.Type,
        _ intercept: @escaping InterceptingMiddleware<M>.Interception
    ) -> Self where Self == InterceptingMiddleware<M> {
        InterceptingMiddleware(type, intercept)
    }

    /// Runs a closure after each dispatch of one message type, before the caller sees the outcome.
    ///
    /// ```swift
    /// let dispatcher = standard.with(.after(AddNote.self) { command, outcome in await cache.removeAll() })
    /// ```
    ///
    /// The outcome stays what it is. After a cancellation, the closure runs in the canceled task.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - observe: Receives each message with its outcome.
    public static func after<M: Message>(
        _ type: M.Type,
        _ observe: @escaping @Sendable (_ message: M, _ outcome: DispatchOutcome<M.Value>) async -> Void
    ) -> Self where Self == InterceptingMiddleware<M> {
        InterceptingMiddleware(type) { message, next in
            let value: M.Value
            do {
                value = try await next.dispatch(message)
            } catch {
                await observe(message, error is CancellationError ? .cancellation : .failure(error))
                throw error
            }
            await observe(message, .success(value))
            return value
        }
    }
}
