#if NATS
    import DuetCluster
    import DuetClusterEngine
    import Synchronization

    final class Registrations: Sendable {
        private struct State {
            var last = 0
            var active: [Int: ActiveRegistration] = [:]
        }

        private let state = Mutex(State())

        /// Adds work that ends with an operation, which runs once.
        func add(_ stop: @escaping @Sendable () async -> Void) -> any Registration {
            state.withLock { state in
                state.last += 1
                let number = state.last
                let registration = ActiveRegistration {
                    await stop()
                    self.state.withLock { $0.active[number] = nil }
                }
                state.active[number] = registration
                return registration
            }
        }

        func stop() async {
            await withDiscardingTaskGroup { group in
                for registration in state.withLock({ $0.active.values }) {
                    group.addTask { await registration.stop() }
                }
            }
        }
    }

    /// Work that is stopped once, however often it is asked to.
    final class ActiveRegistration: Registration {
        private let end: @Sendable () async -> Void
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(_ end: @escaping @Sendable () async -> Void) { self.end = end }

        func stop() async {
            let task = task.withLock { task in
                let stopping = task ?? Task { [end] in await end() }
                task = stopping
                return stopping
            }
            await task.value
        }
    }
#endif
