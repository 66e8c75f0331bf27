/// Creates the values of one registration from their dependencies.
protocol Maker<Value>: Sendable {
    associatedtype Value

    var dependencies: [ResolvedDependency] { get }

    /// The type that is created, if it differs from the type of the value.
    var implementation: String? { get }

    /// Whether creating a value may need the same value again, in ways that ``ContainerBuilder/build()`` does not see.
    var mayReenter: Bool { get }

    func make(in scope: Scope) async throws -> Value
}

/// A maker that returns the value of a `Resolvable` type unchanged.
protocol SelfMaker: Maker where Value: Resolvable {}

struct ResolvableMaker<Value: Resolvable>: SelfMaker {
    var dependencies: [ResolvedDependency] { Value.dependencies }

    @inline(__always)
    func make(in scope: Scope) async throws -> Value {
        try await Value(from: scope)
    }
}

struct ConvertingMaker<Made: Resolvable, Value>: Maker {
    let convert: @Sendable (Made) -> Value

    var dependencies: [ResolvedDependency] { Made.dependencies }
    var implementation: String? { "\(Made.self)" }

    func make(in scope: Scope) async throws -> Value {
        convert(try await Made(from: scope))
    }
}

struct FactoryMaker<Value>: Maker {
    let dependencies: [ResolvedDependency]
    private let factory: @Sendable @concurrent (Scope) async throws -> sending Value

    /// Through the scope, or through the handler of a message that it dispatches.
    var mayReenter: Bool { isOpaque || dependencies.contains { $0.key.isDispatcher } }

    /// Creates a maker from a factory whose parameters are its dependencies.
    init<each D>(_ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> Value) {
        var dependencies: [ResolvedDependency] = []
        repeat dependencies.append(ResolvedDependency((each D).self))
        self.dependencies = dependencies
        self.factory = { scope in try await factory(repeat scope.resolve((each D).self)) }
    }

    /// Creates a maker from a factory that takes the scope and resolves unknown dependencies from it.
    init(opaque factory: @escaping @Sendable @concurrent (Scope) async throws -> Value) {
        dependencies = [ResolvedDependency(Scope.self)]
        self.factory = { scope in try await factory(scope) }
    }

    @inline(__always)
    func make(in scope: Scope) async throws -> Value {
        try await factory(scope)
    }
}

extension Maker {
    /// Whether the maker takes the scope itself, so that its dependencies are unknown until it runs.
    var isOpaque: Bool { dependencies.contains { $0.kind == .scope } }

    var mayReenter: Bool { isOpaque }

    var implementation: String? { nil }
}
