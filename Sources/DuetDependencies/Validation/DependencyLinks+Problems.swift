extension DependencyLinks {
    /// What is missing, what goes round in a ring, and what is kept beyond its scope.
    func problems() -> [InvalidContainer.Problem] {
        missingProblems() + cycleProblems() + captiveProblems()
    }

    private func missingProblems() -> [InvalidContainer.Problem] {
        guard missing.contains(where: { !$0.isEmpty }) else { return [] }
        let dependents = dependents()
        return registrations.indices.flatMap { index in
            missing[index].map { key in
                let path = way(up: dependents, from: index) + [key.shortName]
                return .missing(path: path, location: "\(registrations[index].location)", remedy: key.remedy)
            }
        }
    }

    /// The names from something that nobody needs down to `index`.
    private func way(up dependents: [[Int]], from index: Int) -> [String] {
        var way = [index]
        var seen: Set = [index]
        while let next = dependents[way[0]].first(where: { !seen.contains($0) }) {
            seen.insert(next)
            way.insert(next, at: 0)
        }
        return way.map { names[$0] }
    }

    /// One ring for each group of registrations that need each other.
    private func cycleProblems() -> [InvalidContainer.Problem] {
        var components = StronglyConnectedComponents(needs)
        return components.find().sorted { $0[0] < $1[0] }.compactMap { component in
            let members = Set(component)
            guard let way = shortestWay(from: component[0], through: members.contains, to: { $0 == component[0] })
            else { return nil }
            return .cycle(path: way.map { names[$0] }, locations: locations(way.dropLast()))
        }
    }

    /// The shortest way from each singleton to each scoped registration that it would keep.
    private func captiveProblems() -> [InvalidContainer.Problem] {
        let needing = scopeNeeds()
        return registrations.indices.flatMap { index -> [InvalidContainer.Problem] in
            guard registrations[index].lifetime == .singleton else { return [] }
            return needs[index].filter { needing[$0] }.compactMap { need in
                let direct = registrations[need].lifetime == .scoped ? [need] : nil
                let way =
                    direct
                    ?? shortestWay(
                        from: need,
                        through: { registrations[$0].lifetime == .transient },
                        to: { registrations[$0].lifetime == .scoped }
                    )
                return way.map { way in
                    let way = [index] + way
                    return .captive(path: way.map { names[$0] }, locations: locations(way))
                }
            }
        }
    }

    private func locations(_ indices: [Int]) -> [String] {
        indices.map { "\(registrations[$0].location)" }
    }

    /// A way of at least one step, breadth first; every place between its ends is one to go `through`.
    private func shortestWay(
        from start: Int,
        through isOpen: (Int) -> Bool,
        to isEnd: (Int) -> Bool
    ) -> [Int]? {
        var origins: [Int: Int] = [:]
        var places = [start]
        var next = 0
        while next < places.count {
            let place = places[next]
            next += 1
            for need in needs[place] {
                if isEnd(need) {
                    var way = [need, place]
                    while let last = way.last, last != start, let origin = origins[last] { way.append(origin) }
                    return way.reversed()
                }
                guard isOpen(need), need != start, origins[need] == nil else { continue }
                origins[need] = place
                places.append(need)
            }
        }
        return nil
    }
}

extension DependencyKey {
    /// What to write where this is missing.
    fileprivate var remedy: String {
        if isDispatcher { return "builder.commandQueryDispatch().standard(…)" }
        return type is any Resolvable.Type
            ? "builder.transient(\(shortName).self)"
            : "builder.singleton, .scoped or .transient"
    }
}
