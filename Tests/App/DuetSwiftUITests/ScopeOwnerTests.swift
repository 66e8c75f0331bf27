import DuetDependencies
import DuetSwiftUI
import DuetTesting
import Testing

/// `.resolving(from: container)`, as SwiftUI uses it.
@MainActor
struct ScopeOwnerTests {
    private func container() throws -> Container {
        let builder = ContainerBuilder()
        builder.scoped { Cart() }
        builder.scoped { "registered" }
        return try builder.build()
    }

    @Test func `a scope ends with its owner, and disposes of its values`() async throws {
        let container = try container()
        var owner: ScopeOwner? = ScopeOwner()
        let scope = try #require(owner).scope(in: .success(container)).get()
        let cart: Cart = try await scope.resolve()
        #expect(!cart.ended.isOpen)

        owner = nil
        try await cart.ended.pass()

        await #expect(throws: ResolutionError.self) { try await scope.resolve(Cart.self) }
    }

    @Test func `an owner keeps its scope while the view is updated`() async throws {
        let container = try container()
        let owner = ScopeOwner()
        let first = try owner.scope(in: .success(container)).get()

        #expect(try owner.scope(in: .success(container)).get() === first)
        #expect(first !== container)
    }

    @Test func `a view resolves from a scope itself, but from its own scope within a container or with overrides`()
        async throws
    {
        let container = try container()
        let scope = container.makeScope()

        #expect(try ScopeOwner().scope(from: scope).get() === scope)
        #expect(try ScopeOwner().scope(from: container).get() !== container)
        let (owner, overrides) = (ScopeOwner(), [Override { "overridden" }])
        let overridden = try owner.scope(from: scope, overriding: overrides).get()
        #expect(try await overridden.resolve(String.self) == "overridden")
        #expect(try await scope.resolve(String.self) == "registered")
        #expect(try owner.scope(from: scope, overriding: overrides).get() === overridden)
    }

    @Test func `another container ends the scope of the first`() async throws {
        let owner = ScopeOwner()
        let first = try owner.scope(in: .success(container())).get()
        let cart: Cart = try await first.resolve()

        let second = try owner.scope(in: .success(container())).get()

        try await cart.ended.pass()
        #expect(try await second.resolve(Cart.self) !== cart)
    }

    @Test func `a nested scope has its own values and overrides`() async throws {
        let container = try container()
        let (window, sheet) = (ScopeOwner(), ScopeOwner())
        let outer = window.scope(in: .success(container))
        let inner = sheet.scope(in: outer, overriding: [Override { "overridden" }])

        #expect(try await outer.get().resolve(String.self) == "registered")
        #expect(try await inner.get().resolve(String.self) == "overridden")
        #expect(try await outer.get().resolve(Cart.self) !== inner.get().resolve(Cart.self))
    }

    @Test func `an override of an unregistered type reaches the views as an error`() async throws {
        let owner = ScopeOwner()
        let scope = try owner.scope(in: .success(container()), overriding: [Override { 1 }])
        let cart = Resolution<Cart?>(.optional(named: nil))
        cart.resolve(in: scope)

        #expect(cart.error.map { "\($0)".contains("Int: not registered") } == true)
    }

    @Test func `without a scope around it, an owner has none either`() async throws {
        #expect(throws: MissingScope.self) { try ScopeOwner().scope(in: .failure(MissingScope())).get() }
    }
}
