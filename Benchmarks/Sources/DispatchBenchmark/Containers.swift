import DispatchSubjects
import Duet
import DuetDependencies

/// A container for each way to register the handlers, and its dispatcher.
struct Containers {
    private var dispatchers: [Registered: any Dispatcher] = [:]

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

    func dispatcher(_ registered: Registered) -> any Dispatcher {
        guard let dispatcher = dispatchers[registered] else { preconditionFailure("There is one of each.") }
        return dispatcher
    }

    private func register(
        _ registered: Registered,
        _ query: AddToHandler,
        _ command: RememberHandler,
        in builder: ContainerBuilder
    ) {
        switch registered {
        case .singleton:
            builder.singleton { query }
            builder.singleton { command }
            builder.handlers {
                RememberHandler.self
                AddToHandler.self
            }
        case .transientStruct, .overriddenScope:
            builder.singleton { Tag(name: "process") }
            builder.singleton((any Summand).self) { FixedSummand(number: 1) }
            builder.singleton((any Memory).self) { command }
            builder.handlers {
                MemoryHandler.self
                SummandHandler.self
            }
        case .transientClass:
            builder.singleton((any Summand).self) { FixedSummand(number: 1) }
            builder.singleton((any Memory).self) { command }
            builder.handlers {
                MemoryObjectHandler.self
                SummandObjectHandler.self
            }
        case .needsScope:
            builder.scoped((any Summand).self) { FixedSummand(number: 1) }
            builder.scoped((any Memory).self) { command }
            builder.handlers {
                MemoryHandler.self
                SummandHandler.self
            }
        }
    }
}

/// A dependency that a request overrides, as a server overrides its logger.
private struct Tag: Sendable {
    let name: String
}
