import Synchronization

/// Work in the background, which is done while somebody runs it, and only so much at a time.
final class Revalidations: Sendable {
    typealias Job = @Sendable @concurrent () async -> Void

    private struct State {
        var runners: [Int: AsyncStream<(LoadTable.Key, Job)>.Continuation] = [:]
        /// What is under way or waits, and who does it.
        var keys: [LoadTable.Key: Int] = [:]
        var lastID = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var isRunning: Bool { state.withLock { !$0.runners.isEmpty } }

    /// Whether the job is done, or another one with the same key already is; otherwise it is dropped.
    func offer(_ key: LoadTable.Key, _ job: @escaping Job) -> Bool {
        state.withLock { state in
            if state.keys[key] != nil { return true }
            guard state.keys.count < limit, let (id, runner) = state.runners.first else { return false }
            state.keys[key] = id
            runner.yield((key, job))
            return true
        }
    }

    /// Does what is offered until the task is cancelled; what is under way then is cancelled too.
    func run() async {
        let (jobs, continuation) = AsyncStream<(LoadTable.Key, Job)>.makeStream()
        let id = state.withLock { state in
            state.lastID += 1
            state.runners[state.lastID] = continuation
            return state.lastID
        }
        await withDiscardingTaskGroup { group in
            for await (key, job) in jobs {
                group.addTask {
                    await job()
                    self.state.withLock { state in
                        if state.keys[key] == id { state.keys[key] = nil }
                    }
                }
            }
            state.withLock { $0.runners[id] = nil }
        }
        state.withLock { state in state.keys = state.keys.filter { $0.value != id } }
    }
}
