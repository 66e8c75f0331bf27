import Duet
import DuetDependencies
import DuetSwiftUI
import DuetTesting
import Testing

/// `@Resolved`, as a view uses it.
@MainActor @Suite(.timeLimit(.minutes(5)))
struct ResolutionTests {
    private func scope(_ register: (ContainerBuilder) -> Void) throws -> Scope {
        let builder = ContainerBuilder()
        register(builder)
        return try builder.build().makeScope()
    }

    private func resolution<T>(of type: T.Type, named name: DependencyName? = nil) -> Resolution<T?> {
        Resolution(.optional(named: name))
    }

    @Test func `a value is nil until it is resolved`() async throws {
        let gate = Gate()
        let scope = try scope { builder in
            builder.scoped {
                try await gate.pass()
                return Cart()
            }
        }
        let cart = resolution(of: Cart.self)
        #expect(cart.value == nil && !cart.isResolving)

        cart.resolve(in: .success(scope))
        #expect(cart.value == nil && cart.isResolving)
        gate.open()
        await until { cart.value != nil }

        #expect(!cart.isResolving && cart.error == nil)
        #expect(try await scope.resolve(Cart.self) === cart.value)
        await scope.dispose()
    }

    @Test func `views of one scope share its value, and views of another scope do not`() async throws {
        let builder = ContainerBuilder()
        builder.scoped { Cart() }
        let container = try builder.build()
        let scopes = [container.makeScope(), container.makeScope()]
        let views = [scopes[0], scopes[0], scopes[1]].map { scope in
            let cart = resolution(of: Cart.self)
            cart.resolve(in: .success(scope))
            return cart
        }
        await until { views.allSatisfy { $0.value != nil } }

        #expect(views[0].value === views[1].value)
        #expect(views[0].value !== views[2].value)
        for scope in scopes { await scope.dispose() }
    }

    @Test func `a transient value is resolved once per view, however often the view is updated`() async throws {
        let counter = Counter()
        let scope = try scope { $0.transient { @MainActor in counter.next() } }
        let number = resolution(of: Int.self)
        for _ in 1...3 { number.resolve(in: .success(scope)) }
        await until { number.value != nil }
        number.resolve(in: .success(scope))

        #expect(number.value == 1 && !number.isResolving)
        #expect(counter.count == 1)
    }

    @Test func `a shared value that exists is there at once`() async throws {
        let scope = try scope { $0.singleton { Cart() } }
        let existing: Cart = try await scope.resolve()
        let cart = resolution(of: Cart.self)

        cart.resolve(in: .success(scope))

        #expect(cart.value === existing && !cart.isResolving)
    }

    @Test func `the value of another scope replaces the value of the first`() async throws {
        let builder = ContainerBuilder()
        builder.scoped { Cart() }
        let container = try builder.build()
        let cart = resolution(of: Cart.self)
        cart.resolve(in: .success(container.makeScope()))
        await until { cart.value != nil }
        let first = cart.value

        cart.resolve(in: .success(container.makeScope()))
        #expect(cart.value == nil && cart.isResolving)
        await until { cart.value != nil }

        #expect(cart.value !== first)
    }

    @Test func `an error is visible, and another attempt succeeds`() async throws {
        let notebook = Notebook()
        await notebook.fail(with: NoConnection())
        let scope = try scope { builder in
            builder.scoped { try await notebook.list(ListNotes()) }
        }
        let notes = resolution(of: [String].self)
        notes.resolve(in: .success(scope))
        await until { notes.error != nil }
        let error = try #require(notes.error as? ResolutionError)
        #expect("\(error)".contains("could not be created: NoConnection()"))
        #expect(notes.value == nil && !notes.isResolving)

        await notebook.fail(with: nil)
        notes.retry()
        #expect(notes.error == nil && notes.isResolving)
        await until { notes.value != nil }
        #expect(notes.value == ["Milk"])
    }

    @Test func `an unregistered type is an error that names the type`() async throws {
        let scope = try scope { _ in }
        let cart = resolution(of: Cart.self)
        cart.resolve(in: .success(scope))
        await until { cart.error != nil }

        #expect(cart.error.map { "\($0)".contains("Cart: not registered") } == true)
    }

    @Test func `a view outside of a scope has an error with the line to write`() async throws {
        let cart = resolution(of: Cart.self)
        cart.resolve(in: .failure(MissingScope()))

        #expect(cart.error.map { "\($0)".contains(".resolving(from: container)") } == true)
        #expect(!cart.isResolving)
    }

    @Test func `a name distinguishes registrations`() async throws {
        let scope = try scope { builder in
            builder.singleton { "main" }
            builder.singleton(named: "archive") { "archive" }
        }
        let name = resolution(of: String.self, named: "archive")
        name.resolve(in: .success(scope))
        await until { name.value != nil }

        #expect(name.value == "archive")
    }

    @Test func `a value of the main actor is resolved out of its box`() async throws {
        let ledger = Ledger()
        let scope = try scope { $0.singleton { @MainActor in MainActorValue(ledger) } }
        let first = resolution(of: Ledger.self)
        first.resolve(in: .success(scope))
        await until { first.value != nil }
        let second = resolution(of: Ledger.self)
        second.resolve(in: .success(scope))

        #expect(first.value === ledger && second.value === ledger)
    }

    @Test func `a value that is not Sendable is created for each view`() async throws {
        let scope = try scope { $0.transient { Draft() } }
        let views = [resolution(of: Draft.self), resolution(of: Draft.self)]
        for view in views { view.resolve(in: .success(scope)) }
        await until { views.allSatisfy { $0.value != nil } }

        #expect(views[0].value !== views[1].value)
    }

    @Test func `a view that goes cancels its resolution`() async throws {
        let leaks = LeakTracker()
        let (arrived, canceled) = (Gate(), Gate())
        let scope = try scope { builder in
            builder.transient { () async throws -> Draft in
                do {
                    arrived.open()
                    try await Gate().pass()
                } catch {
                    canceled.open()
                    throw error
                }
                return Draft()
            }
        }
        var draft: Resolution<Draft?>? = leaks.track(resolution(of: Draft.self))
        draft?.resolve(in: .success(scope))
        try await arrived.pass()

        draft = nil
        try await canceled.pass()
        #expect(leaks.alive == [])
    }
}
