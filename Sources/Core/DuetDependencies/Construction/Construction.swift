import Synchronization

/// The construction of a value, and the enclosing construction that needs the value.
///
/// Only shared and opaque values are tracked. A transient value with declared dependencies cannot depend on itself,
/// because `build()` has checked its graph.
final class Construction: Sendable {
    private struct Need {
        let construction: Construction
        var count: Int
    }

    /// The construction that the current task is part of.
    ///
    /// A task that a factory starts inherits the construction and may outlive it.
    @TaskLocal static var current: Construction?

    private let name: String
    /// The source of a value that is created each time; nil if other tasks may wait for the value.
    private let source: ObjectIdentifier?
    private let parent: Construction?
    private let isOver = Atomic(false)
    /// The constructions that this one waits for or contains, with the number of times.
    private let needs = Mutex<[ObjectIdentifier: Need]>([:])

    init(_ name: String, source: ObjectIdentifier? = nil, parent: Construction?) {
        self.name = name
        self.source = source
        self.parent = parent
    }

    /// The innermost construction, this one or an enclosing one, that other tasks may wait for.
    var shared: Construction? {
        var next: Construction? = self
        while let construction = next, construction.source != nil || construction.hasEnded {
            next = construction.parent
        }
        return next
    }

    private var hasEnded: Bool { isOver.load(ordering: .relaxed) }

    /// Creates a value that no other task waits for, as part of the current construction.
    ///
    /// - Throws: The error of `make`, or ``ResolutionError`` if an enclosing construction already uses `source`.
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
    /// - Throws: The error of `make`.
    func run<Value>(_ make: () async throws -> Value) async throws -> Value {
        defer { isOver.store(true, ordering: .relaxed) }
        return try await Self.$current.withValue(self, operation: make)
    }

    /// This construction and the enclosing ones, without those that have ended.
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

// Two tasks whose constructions need each other would wait for each other forever.
extension Construction {
    /// Records that this construction needs another one to finish.
    ///
    /// - Throws: ``ResolutionError`` if the other construction in turn needs this one.
    func beginNeeding(_ other: Construction) throws {
        // Recorded before the search: of several tasks that close a cycle at the same moment, at least one sees it.
        needs.withLock { $0[ObjectIdentifier(other), default: Need(construction: other, count: 0)].count += 1 }
        guard let path = other.path(to: self) else { return }
        endNeeding(other)
        throw ResolutionError(reason: .cycle([other.name] + path + [other.name]))
    }

    func endNeeding(_ other: Construction) {
        needs.withLock { needs in
            guard let count = needs[ObjectIdentifier(other)]?.count else { return }
            needs[ObjectIdentifier(other)] = count > 1 ? Need(construction: other, count: count - 1) : nil
        }
    }

    private func path(to end: Construction) -> [String]? {
        var paths: [(construction: Construction, names: [String])] = [(self, [])]
        var seen: Set = [ObjectIdentifier(self)]
        while let (construction, names) = paths.popLast() {
            if construction === end { return names }
            for (id, need) in construction.needs.withLock(\.self) where seen.insert(id).inserted {
                paths.append((need.construction, names + [need.construction.name]))
            }
        }
        return nil
    }
}
