import Duet

/// The outermost ``Scope``, which resolves the checked registrations of a ``ContainerBuilder``.
///
/// ```swift
/// let dispatcher = try await container.dispatcher
/// try await dispatcher.dispatch(AddNote(text: "Milk"))
/// let notes = try await dispatcher.dispatch(ListNotes())
/// ```
///
/// Singletons live as long as the container. Scoped values are resolved in a scope within it.
public typealias Container = Scope

extension Container {
    /// The registrations, their dependencies, and the handler of each message; for an inner scope, of its container.
    public var graph: DependencyGraph { DependencyGraph(container) }

    /// Whether this is the container itself, in which no scoped value can be created.
    package var isContainer: Bool { role == .container }

    /// Returns a new container with the same registrations, except for overrides; it shares no values with this one.
    ///
    /// Called on an inner scope, it starts from the container's registrations, without the overrides of that scope.
    ///
    /// - Throws: ``InvalidContainer`` if an overridden type, or a dependency of an override, is not registered.
    public func overriding(_ overrides: Override...) throws -> Container {
        try overriding(overrides)
    }

    /// As ``Scope/overriding(_:)-(Override...)``, for overrides in an array.
    public func overriding(_ overrides: [Override]) throws -> Container {
        var draft = container.blueprint.draft
        draft.replacements += overrides.map { override in
            var registration = override.registration
            registration.lifetime = .singleton
            return registration
        }
        return Container(of: ContainerCore(try Blueprint(draft)))
    }
}

/// The immutable state that a container shares with its scopes.
final class ContainerCore: Sendable {
    let blueprint: Blueprint
    /// The providers of registrations without a name, by type.
    let providers: TypeTable
    /// The `MessageRoute` of each message.
    let routes: TypeTable
    /// The layers of the dispatcher, the first one outermost; none before it is resolved outside of a singleton.
    let layers = OnceSetReference<Made<[any Middleware]>>()
    let layerCount: Int
    let storage = ScopeStorage()
    private let namedProviders: [DependencyKey: any AnyObject & Sendable]
    private let keysByType: [ObjectIdentifier: [DependencyKey]]
    private let names: [DependencyKey: String]

    init(_ blueprint: Blueprint) {
        self.blueprint = blueprint
        layerCount = blueprint.middleware.count
        let keys = blueprint.registrations.map(\.key)
        names = Dictionary(uniqueKeysWithValues: zip(keys, blueprint.links.names))
        keysByType = Dictionary(grouping: keys) { ObjectIdentifier($0.type) }
        let scopeNeeds = Dictionary(uniqueKeysWithValues: zip(keys, blueprint.links.scopeNeeds()))
        var providers: [DependencyKey: any AnyObject & Sendable] = [:]
        for (registration, mayFormCycle) in zip(blueprint.registrations, blueprint.links.unknownNeeds()) {
            let name = names[registration.key, default: registration.key.shortName]
            providers[registration.key] = registration.makeProvider(registration.lifetime, name, mayFormCycle)
        }
        self.providers = TypeTable(
            providers.filter { $0.key.name == nil }.map { (ObjectIdentifier($0.key.type), $0.value) }
        )
        namedProviders = providers.filter { $0.key.name != nil }
        routes = TypeTable(
            blueprint.handlers.compactMap { draft in
                providers[draft.handler].map { provider in
                    (draft.message, draft.makeRoute(provider, scopeNeeds[draft.handler] ?? true))
                }
            }
        )
    }

    func provider(for key: DependencyKey) -> (any AnyObject & Sendable)? {
        guard key.name == nil else { return namedProviders[key] }
        return providers[ObjectIdentifier(key.type)]
    }

    func keys(of type: any Any.Type) -> [DependencyKey] {
        keysByType[ObjectIdentifier(type)] ?? []
    }

    func name(of key: DependencyKey) -> String {
        names[key] ?? key.shortName
    }
}
