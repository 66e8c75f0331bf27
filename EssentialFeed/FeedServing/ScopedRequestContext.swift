package import Duet
package import DuetDependencies
package import Hummingbird
package import Logging

/// What belongs to a request, the scope among it in which the request is answered.
package struct ScopedRequestContext: RequestContext {
    /// What a context is made of.
    package struct Source: RequestContextSource {
        package let logger: Logger
        let scope: Scope
    }

    package var coreContext: CoreRequestContextStorage

    /// Where whatever this request needs is resolved; it ends with the answer.
    package let scope: Scope

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        scope = source.scope
    }

    /// Takes messages to handlers that are resolved in the scope of this request.
    package var dispatcher: any CommandQueryDispatcher {
        get async throws { try await scope.resolve() }
    }
}
