import Duet
import DuetDependencies
import Testing

/// Cycles that are unknown until the factories run.
@Suite(.timeLimit(.minutes(5))) struct CycleTests {
    @Test func `two containers that wait for each other end with an error`() async throws {
        let first = Later<Container>()
        let second = Later<Container>()
        let making = (Later<Void>(), Later<Void>())
        let builder = ContainerBuilder()
        builder.singleton {
            making.0.set(())
            await making.1.value()
            _ = try await second.value().resolve(Counted.self)
            return Session()
        }
        let other = ContainerBuilder()
        other.singleton {
            making.1.set(())
            await making.0.value()
            _ = try await first.value().resolve(Session.self)
            return Counted()
        }
        first.set(try builder.build())
        second.set(try other.build())

        let session = Task { try await first.value().resolve(Session.self) }
        let counted = Task { try await second.value().resolve(Counted.self) }

        await #expect(throws: ResolutionError.self) { try await session.value }
        await #expect(throws: ResolutionError.self) { try await counted.value }
    }

    @Test func `dependencies of a task that outlives its factory are forgotten with the task`() async throws {
        let tasks = Later<Task<Void, Never>>()
        let isStarted = Later<Void>()
        let isGivenUp = Later<Void>()
        let journal = Journal()
        let builder = ContainerBuilder()
        builder.singleton { (scope: Scope) in
            guard journal.entries.isEmpty else { return Session() }
            tasks.set(Task { _ = try? await scope.resolve(Counted.self) })
            await isStarted.value()
            throw Broken()
        }
        builder.singleton { (scope: Scope) in
            isStarted.set(())
            await isGivenUp.value()
            guard !journal.entries.isEmpty else { throw Broken() }
            _ = try await scope.resolve(Session.self)
            return Counted()
        }
        let container = try builder.build()
        await #expect(throws: ResolutionError.self) { try await container.resolve(Session.self) }
        isGivenUp.set(())
        await tasks.value().value
        journal.note("repaired")

        // The factory needs the session, whose first factory started a task that needed it in turn.
        _ = try await container.resolve(Counted.self)
    }

    @Test func `a factory that depends on itself through a dispatch is an error`() async throws {
        struct Greeting { let name: String }
        struct Handler: QueryHandler {
            let greeting: Greeting
            func handle(_ query: GetName) async throws -> String { greeting.name }
        }
        let builder = ContainerBuilder()
        builder.transient { (dispatcher: any QueryDispatcher) in
            Greeting(name: try await dispatcher.dispatch(GetName()))
        }
        builder.transient { (greeting: Greeting) in Handler(greeting: greeting) }
        builder.handlers { Handler.self }
        let container = try builder.build()

        let error = await #expect(throws: ResolutionError.self) { try await container.resolve(Greeting.self) }

        #expect(error?.path == ["Greeting", "Handler", "Greeting"])
    }

    private final class Counted: Sendable {}
}
