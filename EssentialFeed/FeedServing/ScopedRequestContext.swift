package import Duet
package import DuetDependencies
package import Hummingbird
package import Logging

/// The context of a request, which includes the scope in which the request is handled.
package struct ScopedRequestContext: RequestContext {
    /// The source of a context.
    package struct Source: RequestContextSource {
        package let logger: Logger
        let scope: Scope
    }

    package var coreContext: CoreRequestContextStorage

    /// The scope that resolves the dependencies of this request, and ends with the response.
    package let scope: Scope

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        scope = source.scope
    }

    /// Dispatches messages to handlers that are resolved in the scope of this request.
    package var dispatcher: any CommandQueryDispatcher {
        get async throws { try await scope.resolve() }
    }
}
