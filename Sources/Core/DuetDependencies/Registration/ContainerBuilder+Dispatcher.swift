public import Duet

extension ContainerBuilder {
    /// Registers the dispatcher with handlers that are resolved per dispatch.
    ///
    /// ```swift
    /// builder.handlers {
    ///     AddNoteHandler.self
    ///     ListNotesHandler.self
    /// }
    /// ```
    ///
    /// A registered handler keeps its lifetime. A `@Resolvable` handler that is not registered is transient. Each
    /// dispatch runs in its own scope, which ends with the dispatch. Further calls, for example by other modules, add
    /// handlers to the same dispatcher, which is ``Scope/dispatcher``.
    public func handlers(
        fileID: String = #fileID,
        line: Int = #line,
        @ListBuilder<any Handler.Type> _ handlers: () -> [any Handler.Type]
    ) {
        add(handlers(), SourceLocation(fileID: fileID, line: line))
    }

    /// Registers a dispatcher for all messages of a list without a handler.
    ///
    /// The dispatcher is a registered type, and is resolved in the scope of each dispatch. A handler that is listed for
    /// a message, also by another module, comes before it; after ``replacing``, it replaces the handlers of all
    /// messages. It reports no changes of queries.
    public func handlers<Other: Dispatcher>(
        of api: MessageAPI,
        by dispatcher: Other.Type,
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let handlers = api.entries.map { forwarder(of: $0.message, to: dispatcher) }
        add(handlers, to: \.fallbacks, SourceLocation(fileID: fileID, line: line))
    }

    /// Adds layers around each dispatch, inside the layers that were added before.
    ///
    /// ```swift
    /// builder.middleware(ValidationMiddleware(), TimeoutMiddleware(.seconds(2)))
    /// ```
    ///
    /// The layers, the first one outermost, wrap the dispatcher of the listed handlers. Operators of a dispatcher wrap
    /// what is there; here, as at a router, the module that is registered first, such as one for telemetry, sees all
    /// messages before the modules that it does not know. Registering another dispatcher as `any Dispatcher` as well is
    /// a fault.
    public func middleware(_ layers: any Middleware..., fileID: String = #fileID, line: Int = #line) {
        add(layers.map { MiddlewareDraft($0) }, SourceLocation(fileID: fileID, line: line))
    }

    /// Adds a layer that the container creates, inside the layers that were added before.
    ///
    /// ```swift
    /// builder.middleware { (trail: any AuditTrail) in AuditLog(trail: trail) }
    /// ```
    ///
    /// The layer is created once per container, with the first dispatcher that is resolved. It also wraps the messages
    /// that handlers dispatch. The factory may be `async`, `throws` or `@MainActor`.
    public func middleware<Layer: Middleware, each D>(
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> Layer
    ) {
        add(FactoryMaker(factory), SourceLocation(fileID: fileID, line: line))
    }
}

extension ListBuilder where Element == any Handler.Type {
    /// Explains in a compiler error that a container creates handlers itself.
    @available(*, unavailable, message: "List the handler's type, as in AddNoteHandler.self; the container creates it.")
    public static func buildExpression(_ handler: some Handler) -> [any Handler.Type] { [] }

    /// Explains in a compiler error that a type is not a handler.
    @available(*, unavailable, message: "This is not a handler. Conform its type to CommandHandler or QueryHandler.")
    public static func buildExpression<Other>(_ other: Other) -> [any Handler.Type] { [] }
}
