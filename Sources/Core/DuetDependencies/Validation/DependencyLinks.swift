struct DependencyLinks {
    let registrations: [Registration]
    /// The name of each registration in errors and in the graph, with its module only where that is needed to tell
    /// types apart.
    let names: [String]
    let needs: [[Int]]
    /// The required dependencies of each registration that are not registered.
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
                    // Every registration of the type, including this one.
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
            // Function-local types may have the same module and name.
            return use > 1 ? "\(name) #\(use)" : name
        }
    }

    /// Returns, for each registration, whether it or one of its dependencies is scoped or may resolve scoped values.
    func scopeNeeds() -> [Bool] {
        spread(from: registrations.map { $0.lifetime == .scoped || ($0.isOpaque && $0.lifetime == .transient) }) {
            $0.lifetime != .singleton
        }
    }

    /// Returns, for each registration, whether it or one of its dependencies may resolve more than it declares.
    func unknownNeeds() -> [Bool] {
        spread(from: registrations.map(\.mayReenter)) { _ in true }
    }

    /// Marks the dependents of marked registrations, as far as `isOpen` lets the mark spread.
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

extension DependencyLinks {
    func problems() -> [InvalidContainer.Problem] {
        missingProblems() + cycleProblems() + captiveProblems()
    }

    private func missingProblems() -> [InvalidContainer.Problem] {
        guard missing.contains(where: { !$0.isEmpty }) else { return [] }
        let dependents = dependents()
        return registrations.indices.flatMap { index in
            missing[index].map { key in
                let path = pathFromRoot(to: index, dependents) + [key.shortName]
                return .missing(path: path, location: "\(registrations[index].location)", remedy: key.remedy)
            }
        }
    }

    /// Returns the names on a path from a registration without dependents down to `index`.
    private func pathFromRoot(to index: Int, _ dependents: [[Int]]) -> [String] {
        var path = [index]
        var seen: Set = [index]
        while let next = dependents[path[0]].first(where: { !seen.contains($0) }) {
            seen.insert(next)
            path.insert(next, at: 0)
        }
        return path.map { names[$0] }
    }

    private func cycleProblems() -> [InvalidContainer.Problem] {
        var components = StronglyConnectedComponents(needs)
        return components.find().sorted { $0[0] < $1[0] }.compactMap { component in
            let members = Set(component)
            guard let path = shortestPath(from: component[0], through: members.contains, to: { $0 == component[0] })
            else { return nil }
            return .cycle(path: path.map { names[$0] }, locations: locations(path.dropLast()))
        }
    }

    /// Returns the shortest path from each singleton to each scoped registration that it would keep.
    private func captiveProblems() -> [InvalidContainer.Problem] {
        let needing = scopeNeeds()
        return registrations.indices.flatMap { index -> [InvalidContainer.Problem] in
            guard registrations[index].lifetime == .singleton else { return [] }
            return needs[index].filter { needing[$0] }.compactMap { need in
                let direct = registrations[need].lifetime == .scoped ? [need] : nil
                let path =
                    direct
                    ?? shortestPath(
                        from: need,
                        through: { registrations[$0].lifetime == .transient },
                        to: { registrations[$0].lifetime == .scoped }
                    )
                return path.map { path in
                    let path = [index] + path
                    return .captive(path: path.map { names[$0] }, locations: locations(path))
                }
            }
        }
    }

    private func locations(_ indices: [Int]) -> [String] {
        indices.map { "\(registrations[$0].location)" }
    }

    /// Returns the shortest path of at least one step whose inner nodes satisfy `isOpen`, found breadth-first.
    private func shortestPath(from start: Int, through isOpen: (Int) -> Bool, to isEnd: (Int) -> Bool) -> [Int]? {
        var origins: [Int: Int] = [:]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let node = queue[next]
            next += 1
            for need in needs[node] {
                if isEnd(need) {
                    var path = [need, node]
                    while let last = path.last, last != start, let origin = origins[last] { path.append(origin) }
                    return path.reversed()
                }
                guard isOpen(need), need != start, origins[need] == nil else { continue }
                origins[need] = node
                queue.append(need)
            }
        }
        return nil
    }
}

extension DependencyKey {
    /// The code that registers this key.
    fileprivate var remedy: String {
        if isDispatcher { return "builder.handlers { … }" }
        return type is any Resolvable.Type
            ? "builder.transient(\(shortName).self)"
            : "builder.singleton, .scoped or .transient"
    }
}
