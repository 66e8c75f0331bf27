import DuetDependencies
import DuetTesting
import Testing

/// Factories that finish after the end of their scope.
@Suite(.timeLimit(.minutes(5)))
struct LateFactoryTests {
    private let leaks = LeakTracker()
    private let journal = Journal()
    private let hasBegun = Gate()
    private let mayEnd = Gate()

    @Test(arguments: [Lifetime.scoped, .singleton], [End.ofScope, .ofContainer]) @MainActor
    func `a late value is disposed of immediately, and all waiting tasks receive an error`(
        lifetime: Lifetime,
        end: End
    ) async throws {
        let module = Registrations { builder in
            builder.register(lifetime) { [leaks, journal, hasBegun, mayEnd] in
                hasBegun.open()
                try await mayEnd.pass()
                return leaks.track(Resource("connection", journal))
            }
        }
        // A scoped value ends with its scope, and a singleton with the container, whichever ends first.
        let isLate = (lifetime == .scoped) == (end == .ofScope)
        try await withContainer(of: module) { [journal, hasBegun, mayEnd] container in
            let scope = container.makeScope()
            let resolve: @MainActor @Sendable () async throws -> Bool = {
                do {
                    _ = try await scope.resolve(Resource.self)
                    return false
                } catch let error as ResolutionError where error.path == ["Resource"] {
                    return error.saysScopeEnded
                }
            }
            let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<3 { group.addTask(operation: resolve) }
                try await hasBegun.pass()
                await MainActor.queueHasRun()
                switch end {
                case .ofScope: await scope.dispose()
                case .ofContainer: await container.dispose()
                }
                #expect(journal.entries == [])
                mayEnd.open()
                return try await group.all()
            }
            #expect(ended == Array(repeating: isLate, count: 3))
            #expect(journal.entries == ["make connection"] + (isLate ? ["dispose connection"] : []))
            await scope.dispose()
        }
        #expect(journal.entries == ["make connection", "dispose connection"])
        #expect(leaks.count == 1)
        #expect(leaks.alive == [])
    }

    @Test
    func `a late value is disposed of in a task that is not canceled`() async throws {
        let module = Registrations { builder in
            builder.scoped { [leaks, journal, hasBegun, mayEnd] in
                hasBegun.open()
                do { try await mayEnd.pass() } catch {}
                return leaks.track(Resource("connection", journal))
            }
        }
        try await withContainer(of: module) { [hasBegun] container in
            let scope = container.makeScope()
            let making = Task { _ = try await scope.resolve(Resource.self) }
            try await hasBegun.pass()
            await scope.dispose()
            making.cancel()
            await #expect(throws: ResolutionError.self) { try await making.value }
        }
        #expect(journal.entries == ["make connection", "dispose connection"])
        #expect(leaks.alive == [])
    }
}

extension LateFactoryTests {
    enum End {
        case ofScope
        case ofContainer
    }
}
