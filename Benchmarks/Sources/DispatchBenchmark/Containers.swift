import DispatchSubjects
import Duet
import DuetDependencies

/// A container for each way of having the handlers, and the dispatcher that it gives.
struct Containers {
    private var dispatchers: [Registered: any CommandQueryDispatcher] = [:]

    init(query: AddToHandler, command: RememberHandler) async throws {
        for registered in Registered.allCases {
            let builder = ContainerBuilder()
            register(registered, query, command, in: builder)
            let container = try builder.build()
            dispatchers[registered] =
                registered == .overriddenScope
                ? try await container.makeScope(overriding: Override(Tag.self) { Tag(name: "request") }).resolve()
                : try await container.resolve()
        }
    }

    func dispatcher(_ registered: Registered) -> any CommandQueryDispatcher {
        guard let dispatcher = dispatchers[registered] else { preconditionFailure("There is one of each.") }
        return dispatcher
    }

    private func register(
        _ registered: Registered,
        _ query: AddToHandler,
        _ command: RememberHandler,
        in builder: ContainerBuilder
    ) {
        let dispatch = builder.commandQueryDispatch()
        switch registered {
        case .singleton:
            builder.singleton { query }
            builder.singleton { command }
            dispatch.standard(commandHandlers: [RememberHandler.self], queryHandlers: [AddToHandler.self])
        case .transientStruct, .overriddenScope:
            builder.singleton { Tag(name: "process") }
            builder.singleton((any Summand).self) { FixedSummand(number: 1) }
            builder.singleton((any Memory).self) { command }
            dispatch.standard(commandHandlers: [MemoryHandler.self], queryHandlers: [SummandHandler.self])
        case .transientClass:
            builder.singleton((any Summand).self) { FixedSummand(number: 1) }
            builder.singleton((any Memory).self) { command }
            dispatch.standard(commandHandlers: [MemoryObjectHandler.self], queryHandlers: [SummandObjectHandler.self])
        case .needsScope:
            builder.scoped((any Summand).self) { FixedSummand(number: 1) }
            builder.scoped((any Memory).self) { command }
            dispatch.standard(commandHandlers: [MemoryHandler.self], queryHandlers: [SummandHandler.self])
        }
    }
}

/// What a request overrides, as a server does with its logger.
private struct Tag: Sendable {
    let name: String
}
