import DuetDependencies
import DuetTesting
import TestSupport
import Testing

/// Factories that are canceled, and tasks that are canceled while they wait for one.
@Suite(.timeLimit(.minutes(5)))
struct CancelledFactoryTests {
    private let leaks = LeakTracker()
    private let tries = Tries()
    private let hasBegun = Gate()
    private let mayEnd = Gate()

    @Test(arguments: Lifetime.allCases)
    func `a cancellation is reported as such, nothing is kept, and the next task tries again`(
        lifetime: Lifetime
    ) async throws {
        let module = Registrations { builder in
            builder.register(lifetime) { [leaks, tries] in
                let session = leaks.track(Session())
                tries.next()
                try Task.checkCancellation()
                return session
            }
            builder.transient(Client.self)
        }
        try await withContainer(of: module) { [leaks] container in
            let scope = container.makeScope()
            let result = await canceled { _ = try await scope.resolve(Client.self) }
            #expect(throws: CancellationError.self) { try result.get() }
            #expect(leaks.alive == [])
            _ = try await scope.resolve(Client.self)
            await scope.dispose()
        }
        #expect(tries.count == 2)
        #expect(leaks.count == 2)
        #expect(leaks.alive == [])
    }

    @Test(arguments: [Ending.asCancellation, .inItsOwnWay], [Lifetime.scoped, .singleton]) @MainActor
    func `waiting tasks take over from a canceled factory, however it ends, and one of them creates the value`(
        ending: Ending,
        lifetime: Lifetime
    ) async throws {
        try await withContainer(of: module(lifetime, ending)) { [hasBegun, leaks] container in
            let scope = container.makeScope()
            let maker = Task { _ = try await scope.resolve(Session.self) }
            try await hasBegun.pass()
            let resolve: @MainActor @Sendable () async throws -> ObjectIdentifier = {
                ObjectIdentifier(try await scope.resolve(Session.self))
            }
            let instances = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
                for _ in 0..<3 { group.addTask(operation: resolve) }
                await MainActor.queueHasRun()
                maker.cancel()
                return try await group.all()
            }
            #expect(instances.count == 3)
            #expect(Set(instances).count == 1)
            #expect(leaks.alive.count == 1)
            await #expect(throws: (any Error).self) { try await maker.value }
            await scope.dispose()
        }
        #expect(tries.count == 2)
        #expect(leaks.alive == [])
    }

    @Test
    func `a canceled factory that finishes anyway has created the value`() async throws {
        let module = Registrations { builder in
            builder.singleton { [leaks, tries, hasBegun, mayEnd] in
                tries.next()
                hasBegun.open()
                do { try await mayEnd.pass() } catch {}
                return leaks.track(Session())
            }
        }
        try await withContainer(of: module) { [hasBegun] container in
            let maker = Task { ObjectIdentifier(try await container.resolve(Session.self)) }
            try await hasBegun.pass()
            maker.cancel()
            let made = try await maker.value
            #expect(try await ObjectIdentifier(container.resolve(Session.self)) == made)
        }
        #expect(tries.count == 1)
        #expect(leaks.alive == [])
    }

    @Test(arguments: [Lifetime.scoped, .singleton]) @MainActor
    func `a task that is canceled while waiting ends immediately, and the creation continues`(
        lifetime: Lifetime
    ) async throws {
        try await withContainer(of: module(lifetime, .asCancellation)) { [hasBegun, mayEnd, tries] container in
            let scope = container.makeScope()
            async let made = ObjectIdentifier(scope.resolve(Session.self))
            try await hasBegun.pass()
            let waiting = Task { @MainActor in _ = try await scope.resolve(Session.self) }
            await MainActor.queueHasRun()
            waiting.cancel()
            // The gate is still closed, so the wait does not end because of the value.
            await #expect(throws: CancellationError.self) { try await waiting.value }
            mayEnd.open()
            let other = try await ObjectIdentifier(scope.resolve(Session.self))
            #expect(try await made == other)
            #expect(tries.count == 1)
            await scope.dispose()
        }
        #expect(leaks.alive == [])
    }

    @Test
    func `a task that is already canceled does not wait, but receives existing values`() async throws {
        try await withContainer(of: module(.singleton, .asCancellation)) { [hasBegun, mayEnd] container in
            async let making: Void = _ = container.resolve(Session.self)
            try await hasBegun.pass()
            let early = await canceled { _ = try await container.resolve(Session.self) }
            #expect(throws: CancellationError.self) { try early.get() }
            mayEnd.open()
            try await making
            let late = await canceled { _ = try await container.resolve(Session.self) }
            #expect(throws: Never.self) { try late.get() }
        }
        #expect(tries.count == 1)
        #expect(leaks.alive == [])
    }

    @Test @MainActor
    func `a factory that reports a false cancellation is tried once by each waiting task, not forever`()
        async throws
    {
        let module = Registrations { builder in
            builder.singleton { [tries, hasBegun, mayEnd] () -> Session in
                tries.next()
                hasBegun.open()
                try await mayEnd.pass()
                throw CancellationError()
            }
        }
        try await withContainer(of: module) { [hasBegun, mayEnd] container in
            let errors = await withTaskGroup(of: Bool.self) { group in
                let resolve: @MainActor @Sendable () async -> Bool = {
                    do {
                        _ = try await container.resolve(Session.self)
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
                group.addTask(operation: resolve)
                try? await hasBegun.pass()
                for _ in 0..<3 { group.addTask(operation: resolve) }
                await MainActor.queueHasRun()
                mayEnd.open()
                return await group.all()
            }
            #expect(errors == [true, true, true, true])
        }
        #expect(tries.count == 4)
    }
}

extension CancelledFactoryTests {
    enum Ending {
        case asCancellation
        case inItsOwnWay
    }

    /// Registers a session whose first attempt waits at a gate; later attempts do not.
    private func module(_ lifetime: Lifetime, _ ending: Ending) -> Registrations {
        Registrations { builder in
            builder.register(lifetime) { [leaks, tries, hasBegun, mayEnd] in
                let session = leaks.track(Session())
                guard tries.next() == 1 else { return session }
                hasBegun.open()
                do {
                    try await mayEnd.pass()
                } catch  where ending == .inItsOwnWay {
                    // `URLError.canceled` is such an error.
                    throw Broken()
                }
                return session
            }
        }
    }
}
