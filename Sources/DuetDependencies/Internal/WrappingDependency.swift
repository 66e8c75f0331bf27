/// A type that is resolved through another one: an optional through what it wraps, an array through its elements.
protocol WrappingDependency {
    /// What has to be there, and how, for this to be resolved.
    static func dependency(named name: DependencyName?) -> Dependency
    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> Self
}

extension Optional: WrappingDependency {
    static func dependency(named name: DependencyName?) -> Dependency {
        let wrapped = Dependency(Wrapped.self, named: name)
        // A scope and an array are always there, so an optional one is as opaque, and needs as much, as one that is not.
        guard wrapped.kind == .required else { return wrapped }
        return Dependency(.optional, wrapped.key, whole: DependencyKey(Self.self, name))
    }

    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> Wrapped? {
        guard scope.canResolve(DependencyKey(Wrapped.self, name)) else { return nil }
        return .some(try await scope.value(named: name))
    }
}

extension Array: WrappingDependency {
    static func dependency(named name: DependencyName?) -> Dependency {
        Dependency(.collection, DependencyKey(Element.self, name), whole: DependencyKey(Self.self, name))
    }

    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> [Element] {
        var elements: [Element] = []
        for key in scope.container.keys(of: Element.self) {
            elements.append(try await scope.value(named: key.name))
        }
        return elements
    }
}
