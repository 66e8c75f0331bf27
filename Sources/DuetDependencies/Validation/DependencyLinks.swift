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
                if let need = dependency.candidates.lazy.compactMap({ indices[$0] }).first {
                    needs[index].append(need)
                } else if dependency.kind == .collection {
                    // Every registration of the type, this one among them.
                    needs[index] += collections[ObjectIdentifier(dependency.key.type)] ?? []
                } else if dependency.kind == .required {
                    missing[index].append(dependency.key)
                }
            }
        }
        self.needs = needs
        self.missing = missing
        let shortNames = Dictionary(grouping: registrations.map(\.key), by: \.shortName)
        var uses: [String: Int] = [:]
        names = registrations.map { registration in
            let short = registration.key.shortName
            let name = shortNames[short, default: []].count > 1 ? registration.key.longName : short
            let use = uses[name, default: 0] + 1
            uses[name] = use
            // Types that are local to functions may agree in the module too.
            return use > 1 ? "\(name) #\(use)" : name
        }
    }

    /// For each registration whether it, or what it needs, lives in a scope or may resolve what does.
    func scopeNeeds() -> [Bool] {
        spread(from: registrations.map { $0.lifetime == .scoped || ($0.isOpaque && $0.lifetime == .transient) }) {
            $0.lifetime != .singleton
        }
    }

    /// For each registration whether it, or what it needs, may resolve more than it declares.
    func unknownNeeds() -> [Bool] {
        spread(from: registrations.map(\.mayComeBack)) { _ in true }
    }

    /// Marks what needs something marked, through registrations that pass the mark on.
    private func spread(from marks: [Bool], through isOpen: (Registration) -> Bool) -> [Bool] {
        var marks = marks
        var found = marks.indices.filter { marks[$0] }
        let dependents = dependents()
        while let index = found.popLast() {
            for dependent in dependents[index] where !marks[dependent] && isOpen(registrations[dependent]) {
                marks[dependent] = true
                found.append(dependent)
            }
        }
        return marks
    }

    func dependents() -> [[Int]] {
        var dependents = [[Int]](repeating: [], count: needs.count)
        for (index, needs) in needs.enumerated() {
            for need in needs { dependents[need].append(index) }
        }
        return dependents
    }
}
