import Duet
import DuetDependencies
import DuetTesting
import TestSupport
import Testing

/// Disposal of values after the work failed or was canceled.
@Suite(.timeLimit(.minutes(5)))
struct DisposalFaultTests {
    private let leaks = LeakTracker()
    private let journal = Journal()
    private let all = [
        "make connection", "make transaction", "dispose transaction", "dispose connection",
    ]

    @Test(arguments: Fault.allCases)
    func `a dispatch that fails disposes of its values, and its error is unchanged`(
        fault: Fault
    ) async throws {
        let error = try await withContainer(of: module(fault)) { container in
            let dispatcher: any CommandDispatcher = try await container.resolve()
            return await fault.error { try await dispatcher.dispatch(Rename()) }
        }
        #expect(error is Broken == (fault == .error))
        #expect(error is CancellationError == (fault == .cancellation))
        #expect(journal.entries == all)
        #expect(leaks.count == 3)
        #expect(leaks.alive == [])
    }

    @Test(arguments: Fault.allCases)
    func `a scope whose body fails disposes of its values, and the error is unchanged`(
        fault: Fault
    ) async throws {
        let error = try await withContainer(of: module(fault)) { container in
            await fault.error {
                try await container.withScope { scope in
                    _ = try await scope.resolve(Resource.self, named: "transaction")
                    try fault.strike()
                }
            }
        }
        #expect(error is Broken == (fault == .error))
        #expect(error is CancellationError == (fault == .cancellation))
        #expect(journal.entries == all)
        #expect(leaks.alive == [])
    }

    @Test
    func `disposal of a container in a canceled task is not canceled`() async throws {
        let module = Registrations { builder in
            builder.singleton { [leaks, journal] in leaks.track(Resource("pool", journal)) }
        }
        try await withContainer(of: module) { [journal] container in
            _ = try await container.resolve(Resource.self)
            let result = await canceled { await container.dispose() }
            #expect(throws: Never.self) { try result.get() }
            #expect(journal.entries == ["make pool", "dispose pool"])
        }
        #expect(journal.entries == ["make pool", "dispose pool"])
        #expect(leaks.alive == [])
    }

    @Test
    func `many tasks that end one scope dispose of everything once`() async throws {
        try await withContainer(of: module(.error)) { container in
            let scope = container.makeScope()
            _ = try await scope.resolve(Resource.self, named: "transaction")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<50 { group.addTask { await scope.dispose() } }
            }
        }
        #expect(journal.entries == all)
        #expect(leaks.alive == [])
    }

    @Test
    func `a dispatch that is canceled while its handler is created disposes of its values`() async throws {
        let hasBegun = Gate()
        let never = Gate()
        let module = Registrations { builder in
            builder.scoped { [leaks, journal] in leaks.track(Resource("connection", journal)) }
            builder.transient { [leaks] (_: Resource) in
                hasBegun.open()
                try await never.pass()
                return leaks.track(SlowHandler())
            }
            builder.handlers { SlowHandler.self }
        }
        try await withContainer(of: module) { [journal] container in
            let dispatcher: any CommandDispatcher = try await container.resolve()
            let dispatch = Task { try await dispatcher.dispatch(Rename()) }
            try await hasBegun.pass()
            dispatch.cancel()
            await #expect(throws: CancellationError.self) { try await dispatch.value }
            #expect(journal.entries == ["make connection", "dispose connection"])
        }
        #expect(leaks.count == 1)
        #expect(leaks.alive == [])
    }

    @Test @MainActor
    func `values on the main actor are disposed of there`() async throws {
        let module = Registrations { builder in
            builder.scoped { @MainActor [leaks, journal] in leaks.track(Window(journal: journal)) }
        }
        try await withContainer(of: module) { container in
            _ = await #expect(throws: Broken.self) {
                try await container.withScope { scope in
                    _ = try await scope.resolve(Window.self)
                    throw Broken()
                }
            }
        }
        #expect(journal.entries == ["closed"])
        #expect(leaks.alive == [])
    }
}

extension DisposalFaultTests {
    enum Fault: CaseIterable {
        case error
        case cancellation

        /// Fails in the same place as the work.
        func strike() throws {
            switch self {
            case .error: throw Broken()
            case .cancellation: try Task.checkCancellation()
            }
        }

        /// Returns the error of the work, in a task that is canceled if that is the fault.
        func error(_ work: @escaping @Sendable @concurrent () async throws -> Void) async -> (any Error)? {
            let result =
                switch self {
                case .error: await Task { try await work() }.result
                case .cancellation: await canceled { try await work() }
                }
            if case .failure(let error) = result { return error }
            return nil
        }
    }

    private final class FaultyHandler: CommandHandler, Sendable {
        let fault: Fault

        init(fault: Fault) {
            self.fault = fault
        }

        func handle(_ command: Rename) async throws { try fault.strike() }
    }

    private final class SlowHandler: CommandHandler, Sendable {
        func handle(_ command: Rename) async throws {}
    }

    @MainActor
    private final class Window: Disposable {
        private let journal: Journal

        init(journal: Journal) {
            self.journal = journal
        }

        @MainActor
        func dispose() async {
            MainActor.assertIsolated()
            journal.note("closed")
        }
    }

    /// Registers a transaction, which needs a connection, and a handler that works in one and fails.
    private func module(_ fault: Fault) -> Registrations {
        Registrations { builder in
            builder.scoped(named: "connection") { [leaks, journal] in leaks.track(Resource("connection", journal)) }
            builder.scoped(named: "transaction") { [leaks, journal] scope in
                _ = try await scope.resolve(Resource.self, named: "connection")
                return leaks.track(Resource("transaction", journal))
            }
            builder.transient { [leaks] scope in
                _ = try await scope.resolve(Resource.self, named: "transaction")
                return leaks.track(FaultyHandler(fault: fault))
            }
            builder.handlers { FaultyHandler.self }
        }
    }
}
