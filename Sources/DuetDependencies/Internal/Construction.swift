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

    /// The construction that the current task is a part of.
    ///
    /// A task that a factory starts inherits it, and may outlive it.
    @TaskLocal static var current: Construction?

    private let name: String
    /// The source, if its value is made at each construction; nil when other tasks may wait for this one.
    private let source: ObjectIdentifier?
    private let parent: Construction?
    private let isOver = Atomic(false)
    /// The constructions that this one cannot finish without, because they are part of it or it waits for them.
    private let needs = Mutex<[ObjectIdentifier: Need]>([:])

    /// The construction of a value.
    ///
    /// - Parameters:
    ///   - source: The source of a value that is made each time; nil when other tasks may wait for the value.
    ///   - parent: The construction that this is a part of.
    init(_ name: String, source: ObjectIdentifier? = nil, parent: Construction?) {
        self.name = name
        self.source = source
        self.parent = parent
    }

    /// This, or the nearest construction that it is a part of, that other tasks may wait for.
    var shared: Construction? {
        var next: Construction? = self
        while let construction = next, construction.source != nil || construction.hasEnded {
            next = construction.parent
        }
        return next
    }

    private var hasEnded: Bool { isOver.load(ordering: .relaxed) }

    /// Makes a value that no other task waits for, as a part of the current construction.
    ///
    /// - Throws: What `make` throws; ``ResolutionError`` when `source` is already being used by an outer construction.
    static func run<Value>(
        _ source: ObjectIdentifier,
        _ name: String,
        make: () async throws -> Value
    ) async throws -> Value {
        let current = current
        let ancestors = current?.ancestors ?? []
        if let index = ancestors.firstIndex(where: { $0.source == source }) {
            throw ResolutionError(reason: .cycle(ancestors[...index].reversed().map(\.name) + [name]))
        }
        return try await Construction(name, source: source, parent: current).run(make)
    }

    /// Runs `make` as this construction.
    ///
    /// - Throws: What `make` throws.
    func run<Value>(_ make: () async throws -> Value) async throws -> Value {
        defer { isOver.store(true, ordering: .relaxed) }
        return try await Self.$current.withValue(self, operation: make)
    }

    /// This and the constructions that it is a part of, without those that have ended.
    private var ancestors: [Construction] {
        var ancestors: [Construction] = []
        var next: Construction? = self
        while let construction = next {
            if !construction.hasEnded { ancestors.append(construction) }
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
