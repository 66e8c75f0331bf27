import HTTPTypes
import Synchronization

/// The loads that a request may still join.
final class LoadTable: Sendable {
    /// What requests must have in common to share a load.
    struct Key: Sendable, Hashable {
        let key: HTTPCacheKey
        /// The values of the fields by which what is stored was selected, so that known variants do not wait for each other.
        let variant: String
        /// Those who want whole bodies have limits that those who stream have not.
        let isStreamed: Bool
    }

    private struct State {
        /// Those that were begun last.
        var loads: [Key: Load] = [:]
        /// Whose answers were for one alone when they were last asked for, the one used longest ago first.
        var unshared = UseOrder<Key>()
    }

    /// Those that may hold pieces, as long as somebody has them.
    private struct Streams {
        private struct Stream {
            weak var load: Load?
            let number: Int
        }

        private var all: [ObjectIdentifier: Stream] = [:]
        private var lastNumber = 0

        mutating func add(_ load: Load) {
            lastNumber += 1
            all[ObjectIdentifier(load)] = Stream(load: load, number: lastNumber)
        }

        mutating func remove(_ load: ObjectIdentifier) {
            all[load] = nil
        }

        /// The one begun first.
        mutating func takeOldest() -> Load? {
            while let (id, oldest) = all.min(by: { $0.value.number < $1.value.number }) {
                all[id] = nil
                if let load = oldest.load { return load }
            }
            return nil
        }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    private static let unsharedLimit = 256

    private let state = Mutex(State())
    /// Apart from the others, because a load that goes is forgotten, wherever it is let go of.
    private let streams = Mutex(Streams())
    /// How many bytes are held by the loads that were to be joined, but for those that hold little by now, for whoever has not
    /// taken them.
    private let held = Atomic(0)
    /// How many loads have finished; one for many keys, so that there are not more and more of them.
    private let finished = (0..<64).map { _ in Counter() }

    /// How many loads of such a key have finished: another number says that more may be stored than was.
    func finishedCount(_ key: HTTPCacheKey) -> Int { counter(key).value.load(ordering: .acquiring) }

    private func counter(_ key: HTTPCacheKey) -> Counter { finished[Int(truncatingIfNeeded: key.hashValue) & 63] }

    /// A place in the load under way, or in a new one, which is then to be started; neither when it is not worth waiting.
    func join(_ key: Key, for request: HTTPRequest, limit: Int) -> (participant: LoadParticipant?, new: Load?) {
        state.withLock { state in
            guard !state.unshared.contains(key) else { return (nil, nil) }
            if let participant = state.loads[key]?.join() { return (participant, nil) }
            let load = Load(of: request, limit: limit, in: self)
            let participant = load.join()
            state.loads[key] = load
            // A whole body comes in no pieces, which might be held for who is slow.
            if key.isStreamed { streams.withLock { $0.add(load) } }
            return (participant, load)
        }
    }

    /// Remembers whether those who wait for an answer may get it.
    func note(_ key: Key, isShared: Bool) {
        state.withLock { state in
            guard !isShared else { return state.unshared.remove(key) }
            state.unshared.use(key)
            if state.unshared.count > Self.unsharedLimit, let oldest = state.unshared.first {
                state.unshared.remove(oldest)
            }
        }
    }

    func remove(_ key: Key, _ load: Load) {
        // First, because who finds it closed looks for what it has stored.
        counter(key.key).value.wrappingAdd(1, ordering: .releasing)
        load.close()
        state.withLock { state in
            if state.loads[key] === load { state.loads[key] = nil }
        }
    }

    /// A load that goes holds nothing any more.
    func forget(_ load: ObjectIdentifier) {
        streams.withLock { $0.remove(load) }
    }

    /// Lets nobody join a load of such a URI any more.
    func removeAll(where isMeant: (_ uri: String) -> Bool) {
        let removed = state.withLock { state in
            let keys = state.loads.keys.filter { isMeant($0.key.uri) }
            return keys.compactMap { state.loads.removeValue(forKey: $0) }
        }
        removed.forEach { $0.close() }
    }

    /// Counts what a load holds more, or less.
    ///
    /// When all together hold more than four loads may, nobody joins those begun first any more, so that what their readers have
    /// taken goes, and slow ones are left behind sooner; the newest are those that more are about to join. Those that have ended
    /// are among them as long as a slow reader has something to take.
    func hold(_ bytes: Int, limit: Int) {
        guard bytes != 0 else { return }
        held.wrappingAdd(bytes, ordering: .relaxed)
        guard bytes > 0 else { return }
        while held.load(ordering: .relaxed) > 4 * min(limit, .max / 4) {
            guard let oldest = streams.withLock({ $0.takeOldest() }) else { return }
            oldest.shrink()
        }
    }
}
