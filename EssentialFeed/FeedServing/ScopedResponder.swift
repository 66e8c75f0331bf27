import DuetDependencies
package import Hummingbird
import Logging

/// Answers each request in a scope of its own, in which the logger is the one that names the request, beside what the application overrides.
///
/// The scope ends when the answer has been made, or could not be. What is written as its body after that has to be there
/// already.
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
