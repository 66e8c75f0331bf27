import DuetDependencies
import DuetTesting
import Testing

/// Tasks whose constructions would wait for each other forever.
@Suite(.timeLimit(.minutes(5)))
struct CyclesAcrossTasksTests {
    private let leaks = LeakTracker()

    @Test(arguments: [Lifetime.scoped, .singleton])
    func `two tasks whose values need each other both fail with the cycle`(lifetime: Lifetime) async throws {
        let meeting = Meeting(of: 2)
        let errors = try await errors { builder in
            builder.register(lifetime, First.self, needing: Second.self, leaks, at: meeting)
            builder.register(lifetime, Second.self, needing: First.self, leaks, at: meeting)
        } resolving: { scope in
            [{ _ = try await scope.resolve(First.self) }, { _ = try await scope.resolve(Second.self) }]
        }
        // The second task detects the cycle, and its error describes the cycle from that task's position.
        for error in errors {
            #expect([["First", "Second", "First"], ["Second", "First", "Second"]].contains(error.cycle))
            #expect(error.description.contains(": depends on itself: "))
            #expect(error.description.hasSuffix(". Make one of them resolve the other later, when it is used."))
        }
        #expect(Set(errors.map(\.path.first)) == ["First", "Second"])
        #expect(leaks.count == 2)
        #expect(leaks.alive == [])
    }

    @Test
    func `three tasks whose values need each other all fail with the cycle`() async throws {
        let meeting = Meeting(of: 3)
        let errors = try await errors { builder in
            builder.register(.singleton, First.self, needing: Second.self, leaks, at: meeting)
            builder.register(.singleton, Second.self, needing: Third.self, leaks, at: meeting)
            builder.register(.singleton, Third.self, needing: First.self, leaks, at: meeting)
        } resolving: { scope in
            [
                { _ = try await scope.resolve(First.self) }, { _ = try await scope.resolve(Second.self) },
                { _ = try await scope.resolve(Third.self) },
            ]
        }
        for error in errors {
            #expect(Set(error.cycle ?? []) == ["First", "Second", "Third"])
            #expect(error.cycle?.count == 4)
        }
        #expect(Set(errors.map(\.path.first)) == ["First", "Second", "Third"])
        #expect(leaks.alive == [])
    }

    @Test
    func `a cycle through transient values of each task is found`() async throws {
        let meeting = Meeting(of: 2)
        let errors = try await errors { builder in
            builder.singleton { scope in First(try await scope.resolve(ToSecond.self)) }
            builder.transient { scope in ToSecond(second: try await scope.resolve(Second.self, after: meeting)) }
            builder.singleton { scope in Second(try await scope.resolve(ToFirst.self)) }
            builder.transient { scope in ToFirst(first: try await scope.resolve(First.self, after: meeting)) }
        } resolving: { scope in
            [{ _ = try await scope.resolve(First.self) }, { _ = try await scope.resolve(Second.self) }]
        }
        for error in errors { #expect(Set(error.cycle ?? []).isSuperset(of: ["First", "Second"])) }
        #expect(Set(errors.map(\.path.first)) == ["First", "Second"])
    }

    @Test
    func `a failed construction no longer needs the value that its remaining task waits for`() async throws {
        let leftBehind = Gate()
        let hasAsked = Gate()
        let mayFail = Gate()
        let hasEnded = Gate()
        let tries = Tries()
        let module = Registrations { builder in
            builder.singleton { scope in
                guard tries.next() == 1 else { return First() }
                Task {
                    hasAsked.open()
                    _ = try? await scope.resolve(Second.self)
                    hasEnded.open()
                }
                try await leftBehind.pass()
                throw Broken()
            }
            let secondTries = Tries()
            builder.singleton { scope in
                if secondTries.next() == 1 {
                    try await mayFail.pass()
                    throw Broken()
                }
                return Second(try await scope.resolve(First.self))
            }
        }
        try await withContainer(of: module) { container in
            let failing = Task { _ = try await container.resolve(First.self) }
            try await hasAsked.pass()
            leftBehind.open()
            await #expect(throws: ResolutionError.self) { try await failing.value }
            mayFail.open()
            try await hasEnded.pass()
            // The cycle is gone: the second needs the first, and the first needs nothing.
            _ = try await container.resolve(Second.self)
        }
    }
}

extension CyclesAcrossTasksTests {
    private struct ToFirst: Sendable { let first: First }
    private struct ToSecond: Sendable { let second: Second }

    /// Resolves several values concurrently in one scope, and returns the errors with which all of them fail.
    private func errors(
        _ register: @escaping (ContainerBuilder) -> Void,
        resolving operations: (Scope) -> [@Sendable () async throws -> Void]
    ) async throws -> [ResolutionError] {
        try await withContainer(of: Registrations(register)) { container in
            try await container.withScope { scope in
                try await withThrowingTaskGroup(of: ResolutionError.self) { group in
                    for operation in operations(scope) {
                        group.addTask {
                            do {
                                try await operation()
                                throw NotARing()
                            } catch let error as ResolutionError {
                                return error
                            }
                        }
                    }
                    return try await group.all()
                }
            }
        }
    }

    private struct NotARing: Error {}
}

extension Scope {
    fileprivate func resolve<T>(_ type: T.Type, after meeting: Meeting) async throws -> T {
        try await meeting.arrive()
        return try await resolve(type)
    }
}
