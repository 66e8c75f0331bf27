/// Dispatches messages within the process, each to its one handler.
///
/// ```swift
/// let notebook = Notebook()
/// let dispatcher = try StandardDispatcher {
///     AddNoteHandler(notebook: notebook)
///     ListNotesHandler(notebook: notebook)
/// }
/// try await dispatcher.dispatch(AddNote(text: "Milk"))
/// let notes = try await dispatcher.dispatch(ListNotes())
/// ```
///
/// The initializer builds the table of handlers once. A dispatch is one lookup and one call, and allocates nothing.
public struct StandardDispatcher: Dispatcher {
    private let handlers: TypeTable

    /// Creates a dispatcher with the listed handlers.
    ///
    /// - Parameter handlers: The handlers, one per line.
    /// - Throws: ``DispatchError/duplicateHandler(message:handlers:)`` when two handlers handle the same message.
    public init(@ListBuilder<HandlerRegistration> _ handlers: () throws -> [HandlerRegistration]) throws {
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
        self.handlers = TypeTable(registrations.map { ($0.message, $0.box) })
    }

    /// Dispatches the message to its handler.
    ///
    /// - Throws: The handler's error, or ``DispatchError/handlerNotFound(message:)``.
    @inline(__always)
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let box = handlers[M.self] else {
            throw DispatchError.handlerNotFound(message: M.messageName)
        }
        // The table stores each box under the type of its message, so the box found here is a `HandlerBox<M>`.
        let handler = unsafe unsafeDowncast(box, to: HandlerBox<M>.self)
        if handler.isCommand, HandlerBoundaries.areUsed {
            return try await HandlerBoundaries.enter(M.self) { try await handler.handle(message) }
        }
        return try await handler.handle(message)
    }
}

extension StandardDispatcher: HandlerListing {
    package func hasHandler(for message: ObjectIdentifier) -> Bool { handlers[message] != nil }
}
