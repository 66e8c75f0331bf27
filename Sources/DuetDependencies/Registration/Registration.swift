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
    /// Whether it may resolve more than it declares.
    let mayComeBack: Bool
    /// Makes a `Provider` of the key's type, given a name for errors and whether anything that the value needs, by however many
    /// steps, may come back.
    let makeProvider: @Sendable (_ name: String, _ mayCloseRing: Bool) -> any AnyObject & Sendable

    init<M: Maker>(
        transient maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        implementation: String? = nil
    ) {
        self.init(.transient, maker, key, location, implementation) { name, _ in
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
        self.init(.scoped, maker, key, location, implementation) { name, mayCloseRing in
            Provider(ScopedSource(maker: maker, name: name, mayCloseRing: mayCloseRing))
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

    /// The standard dispatcher, which costs nothing to make.
    init(dispatcherAt location: SourceLocation) {
        key = DependencyKey((any CommandQueryDispatcher).self)
        lifetime = .transient
        dependencies = []
        isOpaque = false
        implementation = nil
        self.location = location
        mayComeBack = false
        makeProvider = { _, _ in Provider(DispatcherSource()) }
    }

    private init<M: Maker>(
        _ lifetime: Lifetime,
        _ maker: M,
        _ key: DependencyKey,
        _ location: SourceLocation,
        _ implementation: String?,
        makeProvider: @escaping @Sendable (_ name: String, _ mayCloseRing: Bool) -> any AnyObject & Sendable
    ) {
        self.key = key
        self.lifetime = lifetime
        dependencies = maker.dependencies
        isOpaque = maker.isOpaque
        mayComeBack = maker.mayComeBack
        self.implementation = implementation
        self.location = location
        self.makeProvider = makeProvider
    }
}
