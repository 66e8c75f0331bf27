import Duet

/// The values of a query that a store may still have although a rule invalidated them.
///
/// A store marks such values in the background. Until it has, this state knows which ones they are.
struct StoredMarks<Q: Query & Hashable>: Sendable {
    private struct Mark {
        let id: Int
        let epoch: Epoch
        let isStale: @Sendable (Q) -> Bool
        /// The last use of the store that had begun when the store had marked the values; nil before that.
        var lastUse: Int?
    }

    /// The number of marks at which all values in the store are treated as stale instead.
    private static var limit: Int { 32 }

    private var marks: [Mark] = []
    private var lastMark = 0
    /// The epoch before which all values in the store are stale.
    private var floor: Epoch = 0
    /// The insertions into the store and the reads from it that are running.
    private var uses: Set<Int> = []
    private var lastUse = 0

    /// Whether a rule invalidated a value that was loaded in an epoch.
    func contain(_ query: Q, of epoch: Epoch) -> Bool {
        epoch < floor || marks.contains { epoch < $0.epoch && $0.isStale(query) }
    }

    /// Marks values that were loaded before an epoch, and returns the number of the mark.
    mutating func add(at epoch: Epoch, now: Epoch, where isStale: @escaping @Sendable (Q) -> Bool) -> Int {
        if marks.count >= Self.limit {
            marks = []
            floor = now
        }
        lastMark += 1
        marks.append(Mark(id: lastMark, epoch: epoch, isStale: isStale))
        return lastMark
    }

    /// Notes that the store has marked the values.
    mutating func confirm(_ mark: Int) {
        guard let index = marks.firstIndex(where: { $0.id == mark }) else { return }
        marks[index].lastUse = lastUse
        removeConfirmed()
    }

    /// Returns the number of a use of the store, which begins now.
    mutating func beginUse() -> Int {
        lastUse += 1
        uses.insert(lastUse)
        return lastUse
    }

    mutating func endUse(_ use: Int) {
        uses.remove(use)
        removeConfirmed()
    }

    /// Removes the marks that are no longer needed.
    ///
    /// A value that was being stored may arrive after the mark, and one that was being read may date from before it.
    private mutating func removeConfirmed() {
        guard marks.contains(where: { $0.lastUse != nil }) else { return }
        let oldest = uses.min() ?? .max
        marks.removeAll { mark in mark.lastUse.map { $0 < oldest } ?? false }
    }
}
