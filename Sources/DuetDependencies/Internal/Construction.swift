import Synchronization

/// Something that is being made, and for which other thing: the way down from what was asked for.
///
/// Only what is shared or opaque notes this; what is made anew from declared dependencies cannot come back to itself,
/// because `build()` has seen its graph.
final class Construction: Sendable {
    /// What the current task is making.
    ///
    /// A task that a factory starts inherits it, and may outlive it.
    @TaskLocal static var current: Construction?

    let id: ObjectIdentifier
    let name: String
    private let parent: Construction?
    /// Whether others may wait for it.
    private let isShared: Bool
    private let isOver = Atomic(false)

    private init(id: ObjectIdentifier, name: String, isShared: Bool, parent: Construction?) {
        self.id = id
        self.name = name
        self.isShared = isShared
        self.parent = parent
    }

    /// What this is part of, itself included, that others may wait for.
    static var shared: Construction? {
        current?.ancestors.first { $0.isShared }
    }

    /// Makes `id` as a part of what the current task is making.
    ///
    /// - Throws: What `make` throws; ``ResolutionError`` when `id` is already being made further up this way.
    static func run<Value>(
        _ id: ObjectIdentifier,
        _ name: String,
        isShared: Bool,
        make: () async throws -> Value
    ) async throws -> Value {
        let ancestors = current?.ancestors ?? []
        if let index = ancestors.firstIndex(where: { $0.id == id }) {
            throw ResolutionError(reason: .cycle(ancestors[...index].reversed().map(\.name) + [name]))
        }
        let construction = Construction(id: id, name: name, isShared: isShared, parent: ancestors.first)
        defer { construction.isOver.store(true, ordering: .relaxed) }
        return try await $current.withValue(construction, operation: make)
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
