import Duet

/// A type that a container can create, and how.
struct Registration: Sendable {
    let key: DependencyKey
    let lifetime: Lifetime
    let dependencies: [Dependency]
    let isOpaque: Bool
    /// The implementing type, if it differs from the registered type.
    let implementation: String?
    let location: SourceLocation
    /// Whether creating a value may resolve more than the declared dependencies.
    let mayReenter: Bool
    /// Creates a `Provider` of the key's type.
    ///
    /// - Parameters:
    ///   - name: The name of the value in errors.
    ///   - mayFormCycle: Whether the value or any of its dependencies may resolve more than it declares.
    let makeProvider: @Sendable (_ name: String, _ mayFormCycle: Bool) -> any AnyObject & Sendable

    init<M: Maker>(
        transient maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        implementation: String? = nil
    ) {
        self.init(.transient, maker, key, location, implementation) { name, _ in
            maker.mayReenter
                ? Provider(OpaqueTransientSource(maker: maker, name: name))
                : Provider(TransientSource(maker: maker, name: name))
        }
    }

    init<M: Maker>(
        scoped maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        implementation: String? = nil
    ) where M.Value: Sendable {
        self.init(.scoped, maker, key, location, implementation) { name, mayFormCycle in
            Provider(ScopedSource(maker: maker, name: name, mayFormCycle: mayFormCycle))
        }
    }

    init<M: Maker>(
        singleton maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        implementation: String? = nil
    ) where M.Value: Sendable {
        self.init(.singleton, maker, key, location, implementation) { name, _ in
            Provider(SingletonSource(maker: maker, name: name))
        }
    }

    /// Creates the registration of the standard dispatcher, which costs nothing to create.
    init(dispatcherAt location: SourceLocation) {
        key = DependencyKey((any Dispatcher).self)
        lifetime = .transient
        dependencies = []
        isOpaque = false
        implementation = nil
        self.location = location
        mayReenter = false
        makeProvider = { _, _ in Provider(DispatcherSource()) }
    }

    private init<M: Maker>(
        _ lifetime: Lifetime,
        _ maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        _ implementation: String?,
        makeProvider: @escaping @Sendable (_ name: String, _ mayFormCycle: Bool) -> any AnyObject & Sendable
    ) {
        self.key = key
        self.lifetime = lifetime
        dependencies = maker.dependencies
        isOpaque = maker.isOpaque
        mayReenter = maker.mayReenter
        self.implementation = implementation
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
struct SourceLocation: Sendable, CustomStringConvertible {
    let fileID: String
    let line: Int

    var description: String { "\(fileID):\(line)" }
}
