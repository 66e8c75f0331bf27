import Synchronization

/// What waits for what while shared things are being made, so that two tasks do not wait for each other for ever.
final class Constructions: Sendable {
    /// For all containers, because what one makes may wait for what another does.
    static let all = Constructions()

    private struct Need {
        let name: String
        var count: Int
    }

    /// By what is being made: what that needs.
    private let needs = Mutex<[ObjectIdentifier: [ObjectIdentifier: Need]]>([:])

    /// Notes that the current construction, if others may wait for it, needs `id`.
    ///
    /// - Returns: What needs it, for ``endNeeding(_:by:)``; the construction may be over by then.
    /// - Throws: ``ResolutionError`` when `id` in turn waits for the current construction.
    func beginNeeding(_ id: ObjectIdentifier, _ name: String) throws -> ObjectIdentifier? {
        guard let current = Construction.shared else { return nil }
        let ring: [String]? = needs.withLock { needs in
            if let way = Self.way(from: id, to: current.id, in: needs) { return [current.name, name] + way }
            needs[current.id, default: [:]][id, default: Need(name: name, count: 0)].count += 1
            return nil
        }
        if let ring { throw ResolutionError(reason: .cycle(ring)) }
        return current.id
    }

    /// Notes that a construction has what it needed, or does without.
    func endNeeding(_ id: ObjectIdentifier, by dependent: ObjectIdentifier?) {
        guard let dependent else { return }
        needs.withLock { needs in
            guard let need = needs[dependent]?[id] else { return }
            needs[dependent]?[id] = need.count > 1 ? Need(name: need.name, count: need.count - 1) : nil
            if needs[dependent]?.isEmpty == true { needs[dependent] = nil }
        }
    }

    /// The names on a way along what is needed, or nil when there is none.
    private static func way(
        from start: ObjectIdentifier,
        to end: ObjectIdentifier,
        in needs: [ObjectIdentifier: [ObjectIdentifier: Need]]
    ) -> [String]? {
        var ways: [(id: ObjectIdentifier, names: [String])] = [(start, [])]
        var seen: Set = [start]
        while let (id, names) = ways.popLast() {
            if id == end { return names }
            for (next, need) in needs[id] ?? [:] where seen.insert(next).inserted {
                ways.append((next, names + [need.name]))
            }
        }
        return nil
    }
}
