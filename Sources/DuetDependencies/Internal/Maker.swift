/// Knows how one thing is made, and what it needs for that.
protocol Maker<Value>: Sendable {
    associatedtype Value

    /// What is resolved in order to make it.
    var dependencies: [Dependency] { get }

    /// Whether it may come back to itself by ways that ``ContainerBuilder/build()`` does not see.
    var mayComeBack: Bool { get }

    func make(in scope: Scope) async throws -> Value
}

/// Adds nothing to what a type makes of itself.
protocol SelfMaker: Maker where Value: Resolvable {}

/// Makes a type that can do so itself.
struct ResolvableMaker<Value: Resolvable>: SelfMaker {
    var dependencies: [Dependency] { Value.dependencies }

    @inline(__always)
    func make(in scope: Scope) async throws -> Value {
        try await Value(from: scope)
    }
}

/// Makes a type that can do so itself, and hands it out as something else.
struct ConvertingMaker<Made: Resolvable, Value>: Maker {
    let convert: @Sendable (Made) -> Value

    var dependencies: [Dependency] { Made.dependencies }

    func make(in scope: Scope) async throws -> Value {
        convert(try await Made(from: scope))
    }
}

/// Makes what a factory makes.
struct FactoryMaker<Value>: Maker {
    let dependencies: [Dependency]
    private let factory: @Sendable @concurrent (Scope) async throws -> sending Value

    /// Over the scope, or over the handler of what it dispatches.
    var mayComeBack: Bool { isOpaque || dependencies.contains { $0.key.isDispatcher } }

    /// A factory whose parameters are its dependencies.
    init<each D>(_ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> Value) {
        var dependencies: [Dependency] = []
        repeat dependencies.append(Dependency((each D).self))
        self.dependencies = dependencies
        self.factory = { scope in try await factory(repeat scope.resolve((each D).self)) }
    }

    /// A factory that takes the scope, and from it what nobody knows.
    init(opaque factory: @escaping @Sendable @concurrent (Scope) async throws -> Value) {
        dependencies = [Dependency(Scope.self)]
        self.factory = { scope in try await factory(scope) }
    }

    @inline(__always)
    func make(in scope: Scope) async throws -> Value {
        try await factory(scope)
    }
}

extension Maker {
    /// Whether it takes the scope itself, so that what it needs is not known before it runs.
    var isOpaque: Bool { dependencies.contains { $0.kind == .scope } }

    var mayComeBack: Bool { isOpaque }
}
