import Duet
import DuetDependencies
import DuetTesting
import Testing

/// Factories that depend on themselves in ways that only show when they run.
@Suite(.timeLimit(.minutes(5)))
struct RuntimeCycleTests {
    private let leaks = LeakTracker()

    @Test(arguments: Lifetime.allCases)
    func `a type that resolves itself is reported`(lifetime: Lifetime) async throws {
        let error = try await error(resolving: First.self) { builder in
            builder.register(lifetime, First.self, needing: First.self, leaks)
        }
        #expect(error?.path == ["First", "First"])
        #expect(
            error?.description == """
                First → First: depends on itself: First → First. Make one of them resolve the other later, when it is \
                used.
                """
        )
        #expect(leaks.count == 1)
        #expect(leaks.alive == [])
    }

    @Test(arguments: Lifetime.allCases)
    func `a cycle of three types is reported with all of them`(lifetime: Lifetime) async throws {
        let error = try await error(resolving: Entrance.self) { builder in
            builder.transient { (_: First) in Entrance() }
            builder.register(lifetime, First.self, needing: Second.self, leaks)
            builder.register(lifetime, Second.self, needing: Third.self, leaks)
            builder.register(lifetime, Third.self, needing: First.self, leaks)
        }
        #expect(error?.cycle == ["First", "Second", "Third", "First"])
        #expect(
            error?.description == """
                Entrance → First → Second → Third → First: depends on itself: First → Second → Third → First. Make one \
                of them resolve the other later, when it is used.
                """
        )
        #expect(leaks.count == 3)
        #expect(leaks.alive == [])
    }

    @Test
    func `a cycle through a transient value is found`() async throws {
        let error = try await error(resolving: First.self) { builder in
            builder.register(.singleton, First.self, needing: Second.self, leaks)
            builder.transient { (third: Third) in Second(third) }
            builder.register(.transient, Third.self, needing: First.self, leaks)
        }
        #expect(error?.path == ["First", "Second", "Third", "First"])
        #expect(error?.cycle?.first == "First")
        #expect(error?.cycle?.last == "First")
        #expect(leaks.alive == [])
    }

    @Test
    func `a cycle through an optional, a collection, and a child task is found`() async throws {
        let error = try await error(resolving: First.self) { builder in
            builder.singleton { scope in First(try await scope.resolve(Second?.self) as any Sendable) }
            builder.singleton { scope in Second(try await scope.resolve([Third].self)) }
            builder.singleton { scope in
                async let first = scope.resolve(First.self)
                return Third(try await first)
            }
        }
        #expect(error?.cycle == ["First", "Second", "Third", "First"])
    }

    @Test
    func `a cycle through a dispatch is found`() async throws {
        let error = try await error(resolving: First.self) { builder in
            builder.singleton { (dispatcher: any QueryDispatcher) in First(try await dispatcher.dispatch(GetName())) }
            builder.transient { (first: First) in NameHandler(first: first) }
            builder.handlers { NameHandler.self }
        }
        #expect(error?.path == ["First", "NameHandler", "First"])
        #expect(error?.cycle == ["First", "First"])
    }

    @Test
    func `a cycle that occurs only once does not affect later attempts`() async throws {
        let tries = Tries()
        let module = Registrations { builder in
            builder.singleton { [leaks] scope in
                if tries.next() == 1 { _ = try await scope.resolve(Second.self) }
                return leaks.track(First())
            }
            builder.register(.singleton, Second.self, needing: First.self, leaks)
        }
        try await withContainer(of: module) { container in
            await #expect(throws: ResolutionError.self) { try await container.resolve(First.self) }
            let second = try await container.resolve(Second.self)
            let first = try await container.resolve(First.self)
            #expect(second.parts.first as? First === first)
        }
        #expect(tries.count == 2)
        #expect(leaks.alive == [])
    }

    @Test
    func `a task that outlives its factory may resolve the factory's value`() async throws {
        let isMade = Gate()
        let hasFound = Gate()
        let tries = Tries()
        let module = Registrations { builder in
            builder.transient { scope in
                if tries.next() == 1 {
                    Task {
                        try await isMade.pass()
                        _ = try await scope.resolve(First.self)
                        hasFound.open()
                    }
                }
                return First()
            }
        }
        try await withContainer(of: module) { container in
            _ = try await container.resolve(First.self)
            isMade.open()
            try await hasFound.pass()
        }
        #expect(tries.count == 2)
    }
}

extension RuntimeCycleTests {
    private struct Entrance {}

    private struct NameHandler: QueryHandler {
        let first: First

        func handle(_ query: GetName) async throws -> String { "\(first.parts)" }
    }

    private func error<T>(
        resolving type: T.Type,
        _ register: @escaping (ContainerBuilder) -> Void
    ) async throws -> ResolutionError? {
        try await withContainer(of: Registrations(register)) { container in
            try await container.withScope { scope in
                await #expect(throws: ResolutionError.self) { _ = try await scope.resolve(type) }
            }
        }
    }
}
