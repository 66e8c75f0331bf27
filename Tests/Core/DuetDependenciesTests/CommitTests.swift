import Duet
import DuetDependencies
import Testing

/// Values whose work takes effect only if that of their scope succeeds.
@Suite struct CommitTests {
    private let journal = Journal()

    /// A transaction, whose commit may fail, and an outbox that needs it.
    private func container(failing: String? = nil, isRegistered: Bool = false) throws -> Container {
        let builder = ContainerBuilder()
        builder.singleton { [journal] in journal }
        builder.scoped(named: "transaction") { [journal] in Work("transaction", failing, journal) }
        builder.scoped(named: "outbox") { [journal] scope in
            _ = try await scope.resolve(Work.self, named: "transaction")
            return Work("outbox", failing, journal)
        }
        if isRegistered {
            builder.transient { scope in try await WorkingHandler(from: scope) }
        }
        builder.handlers { WorkingHandler.self }
        return try builder.build()
    }

    private static let commits = ["commit outbox", "commit transaction"]
    private static let disposals = ["dispose outbox", "dispose transaction"]

    // MARK: Dispatches

    @Test(arguments: [false, true])
    func `a dispatch that succeeds commits before it disposes, in reverse order of creation`(
        isRegistered: Bool
    ) async throws {
        try await container(isRegistered: isRegistered).dispatcher.dispatch(Rename(name: "a"))
        #expect(journal.entries == ["rename a"] + Self.commits + Self.disposals)
    }

    @Test(arguments: [false, true])
    func `a dispatch that fails commits nothing`(isRegistered: Bool) async throws {
        let dispatcher = try await container(isRegistered: isRegistered).dispatcher
        await #expect(throws: Broken.self) { try await dispatcher.dispatch(Rename()) }
        #expect(journal.entries == ["rename "] + Self.disposals)
    }

    @Test(arguments: [false, true])
    func `the error of a commit is that of the dispatch, and nothing else is committed`(
        isRegistered: Bool
    ) async throws {
        let dispatcher = try await container(failing: "outbox", isRegistered: isRegistered).dispatcher
        await #expect(throws: NotCommitted(name: "outbox")) { try await dispatcher.dispatch(Rename(name: "a")) }
        #expect(journal.entries == ["rename a", "commit outbox"] + Self.disposals)
    }

    // MARK: Other scopes

    @Test func `a scope commits after its body, and not after an error`() async throws {
        let container = try container(failing: "transaction")
        await #expect(throws: NotCommitted(name: "transaction")) {
            try await container.withScope { _ = try await $0.resolve(Work.self, named: "outbox") }
        }
        #expect(journal.entries == Self.commits + Self.disposals)
        await #expect(throws: Broken.self) {
            try await container.withScope { scope in
                _ = try await scope.resolve(Work.self, named: "outbox")
                throw Broken()
            }
        }
        #expect(journal.entries == Self.commits + Self.disposals + Self.disposals)
    }

    @Test func `disposal of a scope commits nothing`() async throws {
        let scope = try container().makeScope()
        _ = try await scope.resolve(Work.self, named: "outbox")
        await scope.dispose()
        #expect(journal.entries == Self.disposals)
    }
}

private struct NotCommitted: Error, Equatable {
    let name: String
}

/// Records its commit and its disposal.
private final class Work: Committable {
    private let name: String
    private let failing: String?
    private let journal: Journal

    init(_ name: String, _ failing: String?, _ journal: Journal) {
        self.name = name
        self.failing = failing
        self.journal = journal
    }

    func commit() async throws {
        journal.note("commit \(name)")
        if failing == name { throw NotCommitted(name: name) }
    }

    func dispose() async { journal.note("dispose \(name)") }
}

/// Fails without a name.
private struct WorkingHandler: CommandHandler, Resolvable {
    private let journal: Journal

    static var dependencies: [ResolvedDependency] {
        [ResolvedDependency(Journal.self), ResolvedDependency(Work.self, named: "outbox")]
    }

    init(from scope: Scope) async throws {
        journal = try await scope.resolve()
        _ = try await scope.resolve(Work.self, named: "outbox")
    }

    func handle(_ command: Rename) async throws {
        journal.note("rename \(command.name)")
        if command.name.isEmpty { throw Broken() }
    }
}
