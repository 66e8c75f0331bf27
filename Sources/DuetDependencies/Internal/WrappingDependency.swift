/// A type that is resolved through another one: an optional through what it wraps, an array through its elements.
protocol WrappingDependency {
    static var wrappedType: any Any.Type { get }
    static var wrapping: Dependency.Kind { get }
    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> Self
}

extension Optional: WrappingDependency {
    static var wrappedType: any Any.Type { Wrapped.self }
    static var wrapping: Dependency.Kind { .optional }

    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> Wrapped? {
        guard scope.canResolve(DependencyKey(Wrapped.self, name)) else { return nil }
        return .some(try await scope.value(named: name))
    }
}

extension Array: WrappingDependency {
    static var wrappedType: any Any.Type { Element.self }
    static var wrapping: Dependency.Kind { .collection }

    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> [Element] {
        // A collection is of all names, so an array with a name is one that was registered itself.
        if let name { throw ResolutionError(.notRegistered, DependencyKey([Element].self, name)) }
        var elements: [Element] = []
        for key in scope.container.keys(of: Element.self) {
            elements.append(try await scope.value(named: key.name))
        }
        return elements
    }
}
