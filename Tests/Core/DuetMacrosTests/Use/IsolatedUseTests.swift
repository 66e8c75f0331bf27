import DuetMacros
import Testing

/// Types that are isolated to an actor and resolved by `@Resolvable` initializers.
@MainActor
struct IsolatedUseTests {
    @Test func `main-actor types and actors are created`() async throws {
        let builder = ContainerBuilder()
        builder.transient(Counter.self) { Counter() }
        builder.transient((any Api).self) { LiveApi() }
        builder.singleton(String.self) { "Duet" }
        builder.transient(MainClass.self)
        builder.transient(MainLeaf.self)
        builder.transient(MainInitializer.self)
        builder.transient(PublicActor.self)
        builder.transient(DelegatingActor.self)
        builder.transient(DatabaseClass.self)
        builder.transient(MainWithNonisolatedInitializer.self)
        let container = try builder.build()

        let main: MainClass = try await container.resolve()
        let leaf: MainLeaf = try await container.resolve()
        let initializer: MainInitializer = try await container.resolve()
        let named: MainWithNonisolatedInitializer = try await container.resolve()
        let actor: PublicActor = try await container.resolve()
        _ = try await container.resolve(DelegatingActor.self)
        _ = try await container.resolve(DatabaseClass.self)

        #expect(main.counter !== leaf.counter)
        #expect(initializer.counter.count == 0)
        #expect(named.name == "Duet")
        #expect(await actor.count == 0)
    }
}
