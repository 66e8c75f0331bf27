import Duet
import Synchronization

extension CommandQueue {
    /// Whether a dispatcher uses the queue.
    var isInUse: Bool { state.withLock { $0.destination != nil } }

    /// Begins to send the commands of an earlier launch, and to follow other queues.
    func start(_ destination: Destination) {
        let old = update { state in
            state.destination = destination
            state.isLoaded = false
            state.revision = nil
            // They are read again, by the rules of the new dispatcher.
            return state.list.removeIdle()
        }
        let loading = Task.detached { [self] in
            await end(old, .refused)
            await untilItSucceeds { try await access.exclusively { try await load() } }
        }
        let following = Task.detached { [self] in
            var changes = store.changes.makeAsyncIterator()
            await loading.value
            repeat {
                await untilItSucceeds { try await access.exclusively { try await synchronize() } }
            } while await changes.next() != nil && !Task.isCancelled
        }
        state.withLock { state in
            state.loading = [loading]
            state.following = following
        }
    }

    /// Ends the sending, so that another queue of the store takes over.
    ///
    /// The commands stay in the store and in the list.
    func stop() {
        let (tasks, claim) = update { state in
            state.destination = nil
            state.isSentElsewhere = false
            state.list.stop()
            return (state.loading + [state.following].compactMap(\.self), state.claim.take())
        }
        for task in tasks { task.cancel() }
        withExtendedLifetime(claim) {}
    }

    /// Lets a cache show what the commands change, and carry out its rules, for as long as it exists.
    func follow(_ follower: any QueueFollower) {
        let sent = state.withLock { state -> [QueueEntry]? in
            state.followers.removeAll { $0.follower == nil }
            guard !state.followers.contains(where: { $0.follower === follower }) else { return nil }
            state.followers.append(WeakFollower(follower: follower))
            defer { state.sentAlone = [] }
            return state.sentAlone
        }
        guard let sent else { return }
        for entry in sent { if let command = entry.command { entry.caller.run { follower.noteSent(command) } } }
        let showing = Task.detached { [self] in
            // It is canceled with the use of the queue.
            _ = try? await access.exclusively { await showAll() }
        }
        state.withLock { $0.loading.append(showing) }
    }

    func showAll() async {
        let list = state.withLock(\.list)
        for entry in list.order.compactMap({ list.entries[$0] }) {
            let shown = show(entry)
            if shown.isEmpty || state.withLock({ $0.list.add(shown, to: entry.id) }) { continue }
            for shown in shown { await shown.end(.gone) }
        }
    }

    /// Uses the store, and tries again after a delay when that fails.
    private func untilItSucceeds(_ body: () async throws -> Void) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                return try await body()
            } catch {
                guard !Task.isCancelled else { return }
                failures += 1
                onStoreError(
                    error as? CommandStoreFailure
                        ?? CommandStoreFailure(operation: .reading, command: nil, underlying: error)
                )
                try? await clock.sleep(for: delays.delay(afterAttempt: failures, random: random()))
            }
        }
    }
}
