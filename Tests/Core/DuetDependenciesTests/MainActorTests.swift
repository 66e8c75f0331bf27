import Duet
import DuetDependencies
import Testing

/// Values that belong to the main actor and are not `Sendable`.
@MainActor
struct MainActorTests {
    final class Ledger {
        var entries: [String] = []
    }

    struct AddEntry: Command {
        let text: String
    }

    struct AddEntryHandler: CommandHandler, Resolvable {
        let ledger: MainActorValue<Ledger>

        nonisolated static var dependencies: [ResolvedDependency] { [ResolvedDependency(MainActorValue<Ledger>.self)] }

        init(from scope: Scope) async throws { ledger = try await scope.resolve() }

        @MainActor
        func handle(_ command: AddEntry) async throws { ledger.value.entries.append(command.text) }
    }

    /// A handler that keeps the value itself.
    @MainActor
    final class CountingHandler: CommandHandler {
        private let ledger: Ledger

        init(ledger: Ledger) { self.ledger = ledger }

        @MainActor
        func handle(_ command: AddEntry) async throws { ledger.entries.append("\(ledger.entries.count + 1)") }
    }

    @Test func `an existing object is registered with a factory on the main actor`() async throws {
        let ledger = Ledger()
        let builder = ContainerBuilder()
        builder.singleton { @MainActor in MainActorValue(ledger) }
        builder.handlers { AddEntryHandler.self }

        try await builder.build().dispatcher.dispatch(AddEntry(text: "Milk"))

        #expect(ledger.entries == ["Milk"])
    }

    @Test func `a handler on the main actor can keep the value itself`() async throws {
        let ledger = Ledger()
        let builder = ContainerBuilder()
        builder.singleton { @MainActor in MainActorValue(ledger) }
        builder.transient { @MainActor (ledger: MainActorValue<Ledger>) in CountingHandler(ledger: ledger.value) }
        builder.handlers { CountingHandler.self }

        try await builder.build().dispatcher.dispatch(AddEntry(text: "ignored"))

        #expect(ledger.entries == ["1"])
    }

    @Test func `each scope has its own value, and an override replaces it`() async throws {
        let builder = ContainerBuilder()
        builder.scoped { @MainActor in MainActorValue(Ledger()) }
        let container = try builder.build()
        let stub = Ledger()
        let scopes = [
            container.makeScope(), container.makeScope(),
            try container.makeScope(overriding: Override { @MainActor in MainActorValue(stub) }),
        ]
        var ledgers: [Ledger] = []
        for scope in scopes + [scopes[0]] { ledgers.append(try await scope.resolveOnMainActor(Ledger.self)) }

        #expect(ledgers[0] !== ledgers[1])
        #expect(ledgers[2] === stub)
        #expect(ledgers[3] === ledgers[0])
        #expect(scopes[0].readyOnMainActor(Ledger.self) === ledgers[0])
    }

    @Test func `a type that is registered itself is not looked for in a box`() async throws {
        let builder = ContainerBuilder()
        builder.singleton { "plain" }
        builder.singleton { @MainActor in MainActorValue("boxed") }
        let container = try builder.build()

        #expect(try await container.resolveOnMainActor(String.self) == "plain")
    }
}
