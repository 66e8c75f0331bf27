package import Duet
import DuetDependencies

/// The dispatcher of a scope, available before anything is resolved.
///
/// A dispatch is asynchronous and throws in any case, so it can resolve the dispatcher itself.
package struct ResolvedDispatcher: Dispatcher {
    let scope: Result<Scope, any Error>

    package func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await scope.get().resolve((any Dispatcher).self).dispatch(message)
    }
}

extension ResolutionSource {
    /// A dispatcher, converted to `any Dispatcher` or one of its halves.
    package static func dispatcher(_ convert: @escaping (any Dispatcher) -> Value) -> Self {
        Self(
            initial: convert(ResolvedDispatcher(scope: .failure(MissingScope()))),
            ready: { scope in convert(ResolvedDispatcher(scope: scope)) },
            make: { scope in convert(ResolvedDispatcher(scope: .success(scope))) }
        )
    }
}
