import Duet
import DuetCaching
import Synchronization

/// Collects what this node writes to tracked sources outside of the commands of the log, for an event to other nodes.
final class UncarriedWrites: DataFollower {
    /// One element, or more, for everything that was collected.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let collected = Mutex(DataUse.Record())

    init(to caches: [QueryCache]) {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        for tracker in caches.flatMap(\.trackers) where !tracker.isRemote { tracker.follow(self) }
    }

    func invalidate(_ names: Set<DataName>, by writer: DataUse?, narrows: Bool, _ version: CacheVersion?) {
        if writer?.isCarried == true { return }
        collected.withLock { $0.writes.formUnion(names) }
        signal.yield()
    }

    func narrow(by writer: DataUse) {}

    func take() -> RemoteInvalidation {
        collected.withLock { collected in
            defer { collected = DataUse.Record() }
            return .writes(DataNames.text(ofWrites: collected))
        }
    }
}
