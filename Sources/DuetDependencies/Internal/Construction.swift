import Synchronization

/// Something that is being made, and for which other thing: the way down from what was asked for.
///
/// Only what is shared or opaque notes this; what is made anew from declared dependencies cannot come back to itself,
/// because `build()` has seen its graph.
final class Construction: Sendable {
    /// What the current task is making.
    @TaskLocal static var current: Construction?

    let id: ObjectIdentifier
    let name: String
    let parent: Construction?

    private init(id: ObjectIdentifier, name: String, parent: Construction?) {
        self.id = id
        self.name = name
        self.parent = parent
    }

    /// The construction of `id` within the current one.
    ///
    /// - Throws: ``ResolutionError`` when `id` is already being made further up this way.
    static func beginning(_ id: ObjectIdentifier, _ name: String) throws -> Construction {
        var ring = [name]
        var ancestor = current
        while let construction = ancestor {
            ring.append(construction.name)
            if construction.id == id { throw ResolutionError(reason: .cycle(ring.reversed())) }
            ancestor = construction.parent
        }
        return Construction(id: id, name: name, parent: current)
    }
}
