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

    private let loads = Mutex<[Key: Load]>([:])

    /// A place in the load under way, or in a new one, which is then to be started.
    func join(_ key: Key, limit: Int) -> (participant: LoadParticipant?, new: Load?) {
        loads.withLock { loads in
            if let load = loads[key], let participant = load.join() { return (participant, nil) }
            let load = Load(limit: limit)
            loads[key] = load
            return (load.join(), load)
        }
    }

    func remove(_ key: Key, _ load: Load) {
        loads.withLock { loads in
            if loads[key] === load { loads[key] = nil }
        }
    }

    /// Lets nobody join a load of the URI any more.
    func removeAll(uri: String) {
        loads.withLock { loads in
            for key in loads.keys where key.key.uri == uri { loads[key] = nil }
        }
    }
}
