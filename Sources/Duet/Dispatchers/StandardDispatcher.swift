/// Dispatches within the process, to the one handler that was given for each message.
///
/// ```swift
/// let dispatcher = try StandardDispatcher {
///     GetInfoHandler()
///     AddSomethingHandler()
/// }
/// ```
///
/// Which handler serves which message is settled once, here; a dispatch then is one look-up and one call, and allocates
/// nothing.
public struct StandardDispatcher: CommandQueryDispatcher {
    /// Apart from `queryHandlers`, because one type may be both a command and a query, and the boxes are not alike.
    private let commandHandlers: TypeTable
    private let queryHandlers: TypeTable

    /// Makes a dispatcher of the handlers listed.
    ///
    /// - Throws: ``DispatchError/duplicateHandler(message:handlers:)`` when two of them handle one message.
    public init(@HandlerBuilder _ handlers: () throws -> [HandlerRegistration]) throws {
        let registrations = try handlers()
        var handlerNames: [ObjectIdentifier: String] = [:]
        for registration in registrations {
            if let other = handlerNames.updateValue(registration.handlerName, forKey: registration.message) {
                throw DispatchError.duplicateHandler(
                    message: registration.messageName,
                    handlers: [other, registration.handlerName]
                )
            }
        }
        commandHandlers = TypeTable(registrations.filter { $0.kind == .command }.map { ($0.message, $0.box) })
        queryHandlers = TypeTable(registrations.filter { $0.kind == .query }.map { ($0.message, $0.box) })
    }

    /// Has the command handled by its handler.
    ///
    /// - Throws: The handler's own error, or ``DispatchError/handlerNotFound(message:)``.
    @inline(__always)
    public func dispatch<C: Command>(_ command: C) async throws {
        guard let box = commandHandlers[C.self] else {
            throw DispatchError.handlerNotFound(message: C.messageName)
        }
        // The table files a box under the type of its own message, so the box found here is a `CommandBox<C>`.
        try await unsafe unsafeDowncast(box, to: CommandBox<C>.self).handle(command)
    }

    /// Has the query answered by its handler.
    ///
    /// - Throws: The handler's own error, or ``DispatchError/handlerNotFound(message:)``.
    @inline(__always)
    public func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        guard let box = queryHandlers[Q.self] else {
            throw DispatchError.handlerNotFound(message: Q.messageName)
        }
        // The table files a box under the type of its own message, so the box found here is a `QueryBox<Q>`.
        return try await unsafe unsafeDowncast(box, to: QueryBox<Q>.self).handle(query)
    }
}

extension StandardDispatcher: HandlerListing {
    package func hasHandler(for message: ObjectIdentifier) -> Bool {
        commandHandlers[message] != nil || queryHandlers[message] != nil
    }
}
