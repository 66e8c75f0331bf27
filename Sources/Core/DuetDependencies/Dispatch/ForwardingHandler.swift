import Duet

/// Handles a message by passing it to another dispatcher.
struct ForwardingHandler<Message: Duet.Message, Next: Dispatcher>: Handler, Resolvable {
    static var dependencies: [ResolvedDependency] { [ResolvedDependency(Next.self)] }

    private let next: Next

    init(from scope: Scope) async throws {
        next = try await scope.resolve()
    }

    func handle(_ message: Message) async throws -> Message.Value { try await next.dispatch(message) }
}

/// Opens the existential.
func forwarder<M: Message, Next: Dispatcher>(of message: M.Type, to next: Next.Type) -> any Handler.Type {
    ForwardingHandler<M, Next>.self
}
