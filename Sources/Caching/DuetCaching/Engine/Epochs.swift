import Duet
import Synchronization

/// The number of invalidations of one cache that had begun at some moment.
typealias Epoch = Int

/// Returns whether values that were loaded in an epoch, and have tags, are invalid.
typealias InvalidationCheck = (Epoch, [Tag]) -> Bool

/// The epoch of the last invalidation of everything, of one query's values, or of a tag.
///
/// A value is invalid if its load began before that epoch.
struct Invalidated: ~Copyable, Sendable {
    private let last = Atomic(0)

    func isValid(_ epoch: Epoch) -> Bool { epoch >= last.load(ordering: .acquiring) }

    /// - Returns: The epoch of the invalidation.
    @discardableResult
    func invalidate(_ epochs: Epochs) -> Epoch {
        let epoch = epochs.next()
        invalidate(at: epoch)
        return epoch
    }

    func invalidate(at epoch: Epoch) { last.max(epoch, ordering: .acquiringAndReleasing) }
}

/// Counts the invalidations of one cache.
///
/// A load remembers the epoch in which it began. One comparison then shows whether its value was invalidated since. An
/// invalidation takes constant time for any number of values.
final class Epochs: Sendable {
    private let count = Atomic(0)

    var current: Epoch { count.load(ordering: .acquiring) }

    func next() -> Epoch { count.add(1, ordering: .acquiringAndReleasing).newValue }
}

/// A tag with the epoch of its last invalidation.
final class Tag: Sendable {
    enum Meaning {
        /// A tag of a rule.
        case rule(name: String)
        /// Data from a tracked source.
        case data(DataName)
        /// Data that nobody can track.
        case door(String)
    }

    let meaning: Meaning
    let invalidated = Invalidated()

    init(_ meaning: Meaning, invalidatedAt epoch: Epoch = 0) {
        self.meaning = meaning
        invalidated.invalidate(at: epoch)
    }
}

/// The tags that cached values and running loads have.
final class Tags: Sendable {
    private struct Reference {
        weak var tag: Tag?
    }

    private struct State {
        var tags: [String: Reference] = [:]
        /// The number of tags at which unused ones are removed.
        var limit = 256
    }

    private let state = Mutex(State())

    /// Returns the tag of a name, which exists as long as it is referenced.
    func tag(_ name: String) -> Tag {
        state.withLock { state in
            if let tag = state.tags[name]?.tag { return tag }
            if state.tags.count >= state.limit {
                state.tags = state.tags.filter { $0.value.tag != nil }
                state.limit = max(256, state.tags.count * 2)
            }
            let tag = Tag(.rule(name: name))
            state.tags[name] = Reference(tag: tag)
            return tag
        }
    }

    func existing(_ name: String) -> Tag? { state.withLock { $0.tags[name]?.tag } }
}
