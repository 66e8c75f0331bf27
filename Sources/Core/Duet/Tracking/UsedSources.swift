import Synchronization

/// The sources that the handlers of a server or a node have used, which it can tell others about.
package final class UsedSources: Sendable {
    private let all = Mutex<Set<ObjectIdentifier>>([])

    package init() {}

    package var isEmpty: Bool { all.withLock(\.isEmpty) }

    /// The record with changes and reads of nobody knows whom, as far as handlers have used their sources.
    package func record(of use: DataUse) -> DataUse.Record {
        var record = use.record
        all.withLock { all in
            // Neither those of the caches here, nor servers behind this one that have named nothing.
            for name in [record.reads, record.writes].joined() where !name.source.name.isEmpty && name.isPart {
                all.insert(ObjectIdentifier(name.source))
            }
            record.addCharges { all.contains(ObjectIdentifier($0)) }
        }
        return record
    }
}
