import Duet

/// The dispatcher that singletons are given: a container keeps them, so they must not keep the container.
struct SingletonsDispatcher: CommandQueryDispatcher {
    weak let container: ContainerCore?

    func dispatch<C: Command>(_ command: C) async throws {
        try await dispatcher(C.messageName).dispatch(command)
    }

    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        try await dispatcher(Q.messageName).dispatch(query)
    }

    private func dispatcher(_ message: String) throws -> any CommandQueryDispatcher {
        guard let container else { throw ResolutionError(path: [message], reason: .scopeEnded) }
        return container.dispatcher(in: Scope(of: container))
    }
}
