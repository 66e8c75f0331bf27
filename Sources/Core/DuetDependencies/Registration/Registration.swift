struct Registration {
    let key: DependencyKey
    var lifetime: Lifetime
    let dependencies: [ResolvedDependency]
    let isOpaque: Bool
    let implementation: String?
    let location: SourceLocation
    /// Whether creating a value may resolve more than the declared dependencies.
    let mayReenter: Bool
    /// Creates a `Provider` of the key's type.
    ///
    /// - Parameters:
    ///   - name: The name of the value in errors.
    ///   - mayFormCycle: Whether the value or any of its dependencies may resolve more than it declares.
    let makeProvider: @Sendable (_ lifetime: Lifetime, _ name: String, _ mayFormCycle: Bool) -> any AnyObject & Sendable

    init<M: Maker>(transient maker: M, named name: DependencyName? = nil, _ location: SourceLocation) {
        self.init(.transient, maker, named: name, at: location) { _, name, _ in
            maker.mayReenter
                ? Provider(OpaqueTransientSource(maker: maker, name: name))
                : Provider(TransientSource(maker: maker, name: name))
        }
    }

    /// - Parameter lifetime: Scoped or singleton.
    init<M: Maker>(shared maker: M, _ lifetime: Lifetime, named name: DependencyName? = nil, _ location: SourceLocation)
    where M.Value: Sendable {
        self.init(lifetime, maker, named: name, at: location) { lifetime, name, mayFormCycle in
            lifetime == .singleton
                ? Provider(SingletonSource(maker: maker, name: name))
                : Provider(ScopedSource(maker: maker, name: name, mayFormCycle: mayFormCycle))
        }
    }

    private init<M: Maker>(
        _ lifetime: Lifetime,
        _ maker: M,
        named name: DependencyName?,
        at location: SourceLocation,
        makeProvider: @escaping @Sendable (Lifetime, _ name: String, _ mayFormCycle: Bool) -> any AnyObject & Sendable
    ) {
        key = DependencyKey(M.Value.self, name)
        self.lifetime = lifetime
        dependencies = maker.dependencies
        isOpaque = maker.isOpaque
        mayReenter = maker.mayReenter
        implementation = maker.implementation
        self.location = location
        self.makeProvider = makeProvider
    }
}

/// How long a value is reused.
public enum Lifetime: String, Sendable, CaseIterable {
    /// Created each time it is resolved; the caller owns it.
    case transient

    /// Created once in each scope, and released with the scope.
    case scoped

    /// Created once in a container, and released with the container.
    case singleton
}

/// The location of a registration, which errors name.
struct SourceLocation: CustomStringConvertible {
    let fileID: String
    let line: Int

    var description: String { "\(fileID):\(line)" }
}
