import DuetMacros
import Testing

/// `@Resolvable` types in a container.
struct ResolvableUseTests {
    private let builder = ContainerBuilder()

    @Test func `the dependencies are those that the initializer resolves`() {
        #expect(EveryProperty.dependencies.count == 21)
        #expect(Empty.dependencies.isEmpty)
        #expect(Initialized.dependencies.count == 3)
        #expect(Marked.dependencies.count == 1)
        #expect(HalfByHand.dependencies.count == 2)
        #expect(Generic<MemoryStore, Int>.dependencies.count == 2)
        #expect(MainClass.dependencies.count == 2)
        #expect(PublicActor.dependencies.count == 2)
    }

    @Test func `a subclass needs what its superclasses need, and more`() {
        #expect(Base.dependencies.count == 1)
        #expect(Middle.dependencies.count == 3)
        #expect(Leaf.dependencies.count == 4)
        #expect(LeafWithoutMore.dependencies.count == 3)
        #expect(LeafWithInitializer.dependencies.count == 2)
        #expect(DelegatingLeaf.dependencies.count == 2)
        #expect(DelegatingLeafWithoutMore.dependencies.count == 1)
    }

    @Test func `a subclass is created with its superclasses' properties and its own`() async throws {
        registerShared()
        builder.transient(Leaf.self)

        let leaf: Leaf = try await builder.build().resolve()

        #expect(leaf.name == "Duet")
        #expect(leaf.api is LiveApi)
        #expect(leaf.counter !== leaf.other)
    }

    @Test func `a subclass that adds nothing is created by the inherited initializer`() async throws {
        registerShared()
        builder.transient(LeafWithoutMore.self)
        builder.transient(DelegatingLeafWithoutMore.self)
        let container = try builder.build()

        let leaf: LeafWithoutMore = try await container.resolve()
        let delegating: DelegatingLeafWithoutMore = try await container.resolve()

        #expect(leaf.name.isEmpty)
        #expect(leaf.counter !== delegating.counter)
    }

    @Test func `an initializer is called with the resolved parameters`() async throws {
        registerShared()
        builder.transient(DelegatingLeaf.self)
        builder.transient(Marked.self)
        let container = try builder.build()

        let leaf: DelegatingLeaf = try await container.resolve()
        let marked: Marked = try await container.resolve()

        #expect(leaf.name == "Duet")
        #expect(marked.api is LiveApi)
    }

    @Test func `a name chooses among registrations, and an optional may be missing`() async throws {
        builder.singleton(Int.self, named: "primary") { 1 }
        builder.singleton(Int.self, named: .replica) { 2 }
        builder.transient(Numbers.self)

        let numbers: Numbers = try await builder.build().resolve()

        #expect(numbers.primary == 1)
        #expect(numbers.replica == 2)
        #expect(numbers.missing == nil)
        #expect(numbers.all == [1, 2])
        #expect(numbers.limit == 5)
    }

    @Test func `a missing type is found when the container is built, with its path`() throws {
        builder.transient(Numbers.self)

        let error = #expect(throws: InvalidContainer.self) { try builder.build() }

        #expect(error?.problems.count == 2)
        for name in ["primary", "replica"] {
            #expect(error?.description.contains("- Numbers → Int \"\(name)\": not registered.") == true)
        }
    }

    @Test func `generic and nested types are created`() async throws {
        registerShared()
        builder.singleton(MemoryStore.self) { MemoryStore() }
        builder.singleton(Int.self) { 7 }
        builder.transient(Generic<MemoryStore, Int>.self)
        builder.transient(Generic<MemoryStore, Int>.Inner.self)
        builder.transient(Outer.Nested.Deep.self)
        let container = try builder.build()

        let generic: Generic<MemoryStore, Int> = try await container.resolve()
        _ = try await container.resolve(Generic<MemoryStore, Int>.Inner.self)
        let deep: Outer.Nested.Deep = try await container.resolve()

        #expect(generic.values == [7])
        #expect(deep.counter.count == 0)
    }

    private func registerShared() {
        builder.transient(Counter.self) { Counter() }
        builder.transient((any Api).self) { LiveApi() }
        builder.singleton(String.self) { "Duet" }
    }
}

private struct MemoryStore: FeedStore {}

@Resolvable
private struct Numbers {
    @Named("primary") let primary: Int
    @Named(.replica) let replica: Int
    @Named("missing") let missing: Int?
    let all: [Int]
    var limit = 5
}
