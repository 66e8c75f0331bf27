public import Duet

extension ContainerBuilder {
    /// Returns a builder that registers the dispatcher and its handlers with the names of Lambdaspire.
    ///
    /// In new code, use ``handlers(fileID:line:_:)`` and ``middleware(_:fileID:line:)``, which do the same.
    public func commandQueryDispatch() -> CommandQueryDispatchBuilder {
        CommandQueryDispatchBuilder(builder: self)
    }
}

/// Registers the dispatcher and its handlers with the names of Lambdaspire.
public struct CommandQueryDispatchBuilder {
    let builder: ContainerBuilder

    /// Registers handlers as ``ContainerBuilder/handlers(fileID:line:_:)`` does, and middleware around each dispatch.
    public func standard(
        commandHandlers: [any CommandHandler.Type] = [],
        queryHandlers: [any QueryHandler.Type] = [],
        middleware: [any Middleware] = [],
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        builder.add(commandHandlers + queryHandlers, location)
        builder.add(middleware.map { MiddlewareDraft($0) }, location)
    }
}
