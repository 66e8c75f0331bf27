import Duet
import DuetDependencies
import DuetTesting
import Testing

/// Many tasks that resolve one value concurrently.
@Suite(.timeLimit(.minutes(5)))
struct ExactlyOnceTests {
    private let leaks = LeakTracker()
    private let tries = Tries()

    @Test(arguments: [Lifetime.scoped, .singleton], 1...5)
    func `a hundred tasks share one instance, which an async factory creates once`(
        lifetime: Lifetime,
        round: Int
    ) async throws {
        let (hasBegun, mayEnd) = (Gate(), Gate())
        let module = Registrations { builder in
            builder.register(lifetime) { [leaks, tries] in
                tries.next()
                hasBegun.open()
                try await mayEnd.pass()
                return leaks.track(Session())
            }
        }
        try await withContainer(of: module) { container in
            try await container.withScope { scope in
                let instances = try await instances {
                    try await scope.resolve(Session.self)
                } meanwhile: {
                    try await hasBegun.pass()
                    mayEnd.open()
                }
                #expect(Set(instances).count == 1)
            }
        }
        #expect(tries.count == 1)
        #expect(leaks.count == 1)
        #expect(leaks.alive == [])
    }

    @Test(arguments: 1...5)
    func `a factory on the main actor is called once by tasks on all threads`(round: Int) async throws {
        let module = Registrations { builder in
            builder.singleton { @MainActor [leaks, tries] in
                tries.next()
                MainActor.assertIsolated()
                return leaks.track(Screen())
            }
        }
        try await withContainer(of: module) { container in
            let instances = try await instances {
                try await container.resolve(Screen.self)
            } meanwhile: {
            }
            #expect(Set(instances).count == 1)
        }
        #expect(tries.count == 1)
        #expect(leaks.alive == [])
    }

    @Test @MainActor
    func `the main actor and other threads wait for each other's factories without a deadlock`() async throws {
        let module = Registrations { builder in
            builder.singleton { @MainActor [leaks, tries] in
                tries.next()
                return leaks.track(Screen())
            }
            builder.singleton { [leaks, tries] (_: Screen) in
                tries.next()
                return leaks.track(Session())
            }
        }
        try await withContainer(of: module) { container in
            let onMainActor: @MainActor @Sendable () async throws -> Void = {
                _ = try await container.resolve(Session.self)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask(operation: onMainActor)
                    group.addTask { _ = try await container.resolve(Screen.self) }
                }
                try await group.waitForAll()
            }
        }
        #expect(tries.count == 2)
        #expect(leaks.alive == [])
    }

    @Test
    func `an override is created once by a hundred tasks`() async throws {
        let module = Registrations { builder in builder.transient { Session() } }
        let fake = Override { [leaks, tries] in
            tries.next()
            return leaks.track(Session())
        }
        try await withContainer(of: module) { container in
            try await container.withScope(overriding: fake) { scope in
                let instances = try await instances {
                    try await scope.resolve(Session.self)
                } meanwhile: {
                }
                #expect(Set(instances).count == 1)
            }
        }
        #expect(tries.count == 1)
        #expect(leaks.alive == [])
    }

    @Test
    func `a hundred first dispatches create one handler`() async throws {
        let module = Registrations { builder in
            builder.singleton { [leaks, tries] in
                tries.next()
                return leaks.track(NameHandler())
            }
            builder.handlers { NameHandler.self }
        }
        try await withContainer(of: module) { container in
            let dispatcher: any QueryDispatcher = try await container.resolve()
            let handlers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await dispatcher.dispatch(GetName()) } }
                return Set(try await group.all())
            }
            #expect(handlers.count == 1)
        }
        #expect(tries.count == 1)
        #expect(leaks.alive == [])
    }

    @Test
    func `each of a hundred scopes has its own value, disposed of once`() async throws {
        let journal = Journal()
        let module = Registrations { builder in
            builder.scoped { [leaks] in leaks.track(Resource("connection", journal)) }
        }
        try await withContainer(of: module) { container in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await container.withScope { scope in _ = try await scope.resolve(Resource.self) }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(journal.entries.filter { $0 == "make connection" }.count == 100)
        #expect(journal.entries.filter { $0 == "dispose connection" }.count == 100)
        #expect(leaks.count == 100)
        #expect(leaks.alive == [])
    }
}

extension ExactlyOnceTests {
    private final class Screen: Sendable {}

    private final class NameHandler: QueryHandler, Sendable {
        func handle(_ query: GetName) async throws -> String { "\(ObjectIdentifier(self))" }
    }

    /// Returns the distinct identities of the values that a hundred tasks resolve; no task keeps its value.
    private func instances<T: AnyObject>(
        _ resolve: @escaping @Sendable @concurrent () async throws -> T,
        meanwhile: () async throws -> Void
    ) async throws -> [ObjectIdentifier] {
        try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<100 { group.addTask { ObjectIdentifier(try await resolve()) } }
            try await meanwhile()
            return try await group.all()
        }
    }
}
