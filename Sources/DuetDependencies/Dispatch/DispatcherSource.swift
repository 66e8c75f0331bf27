import Duet

/// Gives the standard dispatcher as it is right for a scope.
final class DispatcherSource: Source {
    func value(in scope: Scope) async throws -> any CommandQueryDispatcher {
        switch scope.role {
        case .singletons: SingletonsDispatcher(container: scope.container)
        // What a handler dispatches has a scope of its own, and not one within the scope of this dispatch.
        case .container, .own, .dispatch: scope.container.dispatcher(in: scope.home)
        }
    }
}

extension ContainerCore {
    func dispatcher(in scope: Scope) -> any CommandQueryDispatcher {
        ContainerDispatcher(scope).with(middleware)
    }
}
