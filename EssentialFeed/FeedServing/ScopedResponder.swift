import DuetDependencies
package import Hummingbird
import Logging

/// Handles each request in a scope of its own, whose logger identifies the request.
///
/// The scope ends when the response has been created or an error thrown. A body that is written later can no longer resolve
/// anything.
package struct ScopedResponder: HTTPResponder {
    let container: Container
    let overriding: @Sendable (Request) -> [Override]
    let responder: RouterResponder<ScopedRequestContext>

    package func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        let logger = context.logger
        let overrides = [Override(Logger.self) { logger }] + overriding(request)
        return try await container.withScope(overriding: overrides) { scope in
            let source = ScopedRequestContext.Source(logger: logger, scope: scope)
            return try await responder.respond(to: request, context: ScopedRequestContext(source: source))
        }
    }
}
