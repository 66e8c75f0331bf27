import Duet
import DuetDependencies
import DuetSwiftUI
import DuetTesting
import Testing

/// `@Resolved private var dispatcher: any Dispatcher`.
@MainActor
struct ResolvedDispatcherTests {
    @Test func `a dispatcher is available at once, and dispatches in the scope`() async throws {
        let builder = ContainerBuilder()
        builder.install(NotesModule())
        let container = try builder.build()
        let dispatcher = Resolution<any Dispatcher>(.dispatcher { $0 })

        dispatcher.resolve(in: .success(container.makeScope()))

        try await dispatcher.value.dispatch(AddNote(text: "Bread"))
        #expect(try await dispatcher.value.dispatch(ListNotes()) == ["Milk", "Bread"])
    }

    @Test func `a half of the dispatcher is available, too`() async throws {
        let builder = ContainerBuilder()
        builder.install(NotesModule())
        let scope = try builder.build().makeScope()
        let (writer, reader) = (
            Resolution<any CommandDispatcher>(.dispatcher { $0 }), Resolution<any QueryDispatcher>(.dispatcher { $0 })
        )
        writer.resolve(in: .success(scope))
        reader.resolve(in: .success(scope))

        try await writer.value.dispatch(AddNote(text: "Bread"))
        #expect(try await reader.value.dispatch(ListNotes()) == ["Milk", "Bread"])
    }

    @Test func `an override of the scope applies`() async throws {
        let spy = SpyDispatcher()
        spy.stub(ListNotes.self, returning: ["Stub"])
        let builder = ContainerBuilder()
        builder.install(NotesModule())
        let scope = try builder.build().makeScope(overriding: Override((any Dispatcher).self) { spy })
        let dispatcher = Resolution<any Dispatcher>(.dispatcher { $0 })
        dispatcher.resolve(in: .success(scope))

        #expect(try await dispatcher.value.dispatch(ListNotes()) == ["Stub"])
    }

    @Test func `outside of a scope, a dispatch throws the missing scope`() async throws {
        let dispatcher = Resolution<any Dispatcher>(.dispatcher { $0 })
        await #expect(throws: MissingScope.self) { try await dispatcher.value.dispatch(ListNotes()) }

        dispatcher.resolve(in: .failure(MissingScope()))
        await #expect(throws: MissingScope.self) { try await dispatcher.value.dispatch(ListNotes()) }
    }
}
