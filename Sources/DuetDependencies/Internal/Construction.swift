import Synchronization

/// Something that is being made, and for which other thing: the way down from what was asked for.
///
/// Only what is shared or opaque notes this; what is made anew from declared dependencies cannot come back to itself,
/// because `build()` has seen its graph.
final class Construction: Sendable {
    private struct Need {
        let construction: Construction
        var count: Int
    }

    /// What the current task is making.
    ///
    /// A task that a factory starts inherits it, and may outlive it.
    @TaskLocal private static var current: Construction?

    private let name: String
    /// What is made anew at each of its constructions; nil when others may wait for this one.
    private let source: ObjectIdentifier?
    private let parent: Construction?
    private let isOver = Atomic(false)
    /// What this cannot be finished without, because it is made for it or waits for it.
    private let needs = Mutex<[ObjectIdentifier: Need]>([:])

    private init(_ name: String, source: ObjectIdentifier?) {
        self.name = name
        self.source = source
        parent = Self.current
    }

    /// Something of this name that others may wait for.
    convenience init(_ name: String) {
        self.init(name, source: nil)
    }

    /// What the current task is making that others may wait for.
    static var shared: Construction? {
        current?.ancestors.first { $0.source == nil }
    }

    /// Makes something that nobody else waits for, as a part of what the current task is making.
    ///
    /// - Throws: What `make` throws; ``ResolutionError`` when `source` is making it already, further up this way.
    static func run<Value>(
        _ source: ObjectIdentifier,
        _ name: String,
        make: () async throws -> Value
    ) async throws -> Value {
        let ancestors = current?.ancestors ?? []
        if let index = ancestors.firstIndex(where: { $0.source == source }) {
            throw ResolutionError(reason: .cycle(ancestors[...index].reversed().map(\.name) + [name]))
        }
        return try await Construction(name, source: source).run(make)
    }

    /// Makes this, as a part of what the current task is making.
    ///
    /// - Throws: What `make` throws.
    func run<Value>(_ make: () async throws -> Value) async throws -> Value {
        defer { isOver.store(true, ordering: .relaxed) }
        return try await Self.$current.withValue(self, operation: make)
    }

    /// This and what it is made for, as far as that is still being made.
    private var ancestors: [Construction] {
        var ancestors: [Construction] = []
        var next: Construction? = self
        while let construction = next {
            if !construction.isOver.load(ordering: .relaxed) { ancestors.append(construction) }
            next = construction.parent
        }
        return ancestors
    }
}

// Two tasks that make things which need each other would wait for each other for ever.
extension Construction {
    /// Notes that this cannot be finished without another.
    ///
    /// - Throws: ``ResolutionError`` when that one in turn cannot be finished without this.
    func beginNeeding(_ other: Construction) throws {
        // Noted first and looked for then: of tasks that close a ring at the same moment, one at least sees it.
        needs.withLock { $0[ObjectIdentifier(other), default: Need(construction: other, count: 0)].count += 1 }
        guard let way = other.way(to: self) else { return }
        endNeeding(other)
        throw ResolutionError(reason: .cycle([other.name] + way + [other.name]))
    }

    /// Notes that this has what it needed, or does without.
    func endNeeding(_ other: Construction) {
        needs.withLock { needs in
            guard let count = needs[ObjectIdentifier(other)]?.count else { return }
            needs[ObjectIdentifier(other)] = count > 1 ? Need(construction: other, count: count - 1) : nil
        }
    }

    /// The names of what is needed on a way from here to `end`, or nil when there is none.
    private func way(to end: Construction) -> [String]? {
        var ways: [(construction: Construction, names: [String])] = [(self, [])]
        var seen: Set = [ObjectIdentifier(self)]
        while let (construction, names) = ways.popLast() {
            if construction === end { return names }
            for (id, need) in construction.needs.withLock(\.self) where seen.insert(id).inserted {
                ways.append((need.construction, names + [need.construction.name]))
            }
        }
        return nil
    }
}
