/// Which registration needs which, by their places in the list.
struct DependencyLinks: Sendable {
    let registrations: [Registration]
    /// What errors and the graph call each: without the module as long as that tells them apart.
    let names: [String]
    /// What each needs.
    let needs: [[Int]]
    /// What each needs and nobody has registered.
    let missing: [[DependencyKey]]

    init(_ registrations: [Registration]) {
        self.registrations = registrations
        let indices = Dictionary(
            registrations.enumerated().map { ($1.key, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var collections: [ObjectIdentifier: [Int]] = [:]
        for (index, registration) in registrations.enumerated() {
            collections[ObjectIdentifier(registration.key.type), default: []].append(index)
        }
        var needs = [[Int]](repeating: [], count: registrations.count)
        var missing = [[DependencyKey]](repeating: [], count: registrations.count)
        for (index, registration) in registrations.enumerated() {
            for dependency in registration.dependencies {
                if let need = indices[dependency.whole] {
                    needs[index].append(need)
                    continue
                }
                switch dependency.kind {
                case .required: missing[index].append(dependency.key)
                case .optional: needs[index] += indices[dependency.key].map { [$0] } ?? []
                // Every registration of the type, this one among them.
                case .collection: needs[index] += collections[ObjectIdentifier(dependency.key.type)] ?? []
                case .scope: break
                }
            }
        }
        self.needs = needs
        self.missing = missing
        let shortNames = Dictionary(grouping: registrations.map(\.key), by: \.shortName)
        names = registrations.map { registration in
            let name = registration.key.shortName
            return shortNames[name, default: []].count > 1 ? registration.key.longName : name
        }
    }

    /// Which of them, or of what they need, lives in a scope or may ask for what does.
    func scopeNeeds() -> [Bool] {
        var needing = registrations.map { $0.lifetime == .scoped || ($0.isOpaque && $0.lifetime == .transient) }
        var found = needing.indices.filter { needing[$0] }
        let dependents = dependents()
        while let index = found.popLast() {
            for dependent in dependents[index]
            where !needing[dependent] && registrations[dependent].lifetime != .singleton {
                needing[dependent] = true
                found.append(dependent)
            }
        }
        return needing
    }

    func dependents() -> [[Int]] {
        var dependents = [[Int]](repeating: [], count: needs.count)
        for (index, needs) in needs.enumerated() {
            for need in needs { dependents[need].append(index) }
        }
        return dependents
    }
}
