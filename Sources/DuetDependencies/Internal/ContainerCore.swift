import Duet

/// What a container and its scopes share, and what does not change once it was built.
final class ContainerCore: Sendable {
    let blueprint: Blueprint
    let registrations: [DependencyKey: Registration]
    /// By type: the providers of what has no name.
    let providers: TypeTable
    /// By message: its `MessageRoute`.
    let routes: TypeTable
    let storage = ScopeStorage()
    private let namedProviders: [DependencyKey: any AnyObject & Sendable]
    private let keysByType: [ObjectIdentifier: [DependencyKey]]
    private let names: [DependencyKey: String]

    var middleware: [any Middleware] { blueprint.middleware }

    init(_ blueprint: Blueprint) {
        self.blueprint = blueprint
        let registrations = blueprint.registrations
        let names = blueprint.links.names
        let needsScope = blueprint.links.scopeNeeds()
        let unknownNeeds = blueprint.links.unknownNeeds()
        self.registrations = Dictionary(uniqueKeysWithValues: registrations.map { ($0.key, $0) })
        self.names = Dictionary(uniqueKeysWithValues: zip(registrations.map(\.key), names))
        keysByType = Dictionary(grouping: registrations.map(\.key)) { ObjectIdentifier($0.type) }

        var providers: [DependencyKey: any AnyObject & Sendable] = [:]
        var scopeNeeds: [DependencyKey: Bool] = [:]
        for (index, registration) in registrations.enumerated() {
            providers[registration.key] = registration.makeProvider(names[index], unknownNeeds[index])
            scopeNeeds[registration.key] = needsScope[index]
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

    /// The provider of a key, or nil when it is not registered.
    func provider(for key: DependencyKey) -> (any AnyObject & Sendable)? {
        guard key.name == nil else { return namedProviders[key] }
        return providers[ObjectIdentifier(key.type)]
    }

    /// What is registered for a type, under whatever name, in the order of registration.
    func keys(of type: any Any.Type) -> [DependencyKey] {
        keysByType[ObjectIdentifier(type)] ?? []
    }

    /// What errors call a key.
    func name(of key: DependencyKey) -> String {
        names[key] ?? key.shortName
    }
}
