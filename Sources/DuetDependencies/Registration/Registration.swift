import Duet

/// What is known of one thing that a container can make.
struct Registration: Sendable {
    let key: DependencyKey
    let lifetime: Lifetime
    let dependencies: [Dependency]
    let isOpaque: Bool
    /// What is made, where that is another type than what it is registered as.
    let implementation: String?
    let location: SourceLocation
    /// Makes a `Provider` of the key's type; the name is for errors.
    let makeProvider: @Sendable (_ name: String) -> any AnyObject & Sendable

    init<M: Maker>(
        transient maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        implementation: String? = nil
    ) {
        self.init(.transient, maker, key, location, implementation) { name in
            maker.mayComeBack
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
        self.init(.scoped, maker, key, location, implementation) { name in
            Provider(ScopedSource(maker: maker, name: name))
        }
    }

    init<M: Maker>(
        singleton maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        implementation: String? = nil
    ) where M.Value: Sendable {
        self.init(.singleton, maker, key, location, implementation) { name in
            Provider(SingletonSource(maker: maker, name: name))
        }
    }

    /// The standard dispatcher, which costs nothing to make.
    init(dispatcherAt location: SourceLocation) {
        key = DependencyKey((any CommandQueryDispatcher).self)
        lifetime = .transient
        dependencies = []
        isOpaque = false
        implementation = nil
        self.location = location
        makeProvider = { _ in Provider(DispatcherSource()) }
    }

    private init<M: Maker>(
        _ lifetime: Lifetime,
        _ maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        _ implementation: String?,
        makeProvider: @escaping @Sendable (_ name: String) -> any AnyObject & Sendable
    ) {
        self.key = key
        self.lifetime = lifetime
        dependencies = maker.dependencies
        isOpaque = maker.isOpaque
        self.implementation = implementation
        self.location = location
        self.makeProvider = makeProvider
    }
}
