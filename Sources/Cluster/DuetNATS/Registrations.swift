#if NATS
    import Duet
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
        private let state = Monitor((isEnding: false, hasEnded: false))

        init(_ end: @escaping @Sendable () async -> Void) { self.end = end }

        func stop() async {
            let isFirst = state.update { state in
                defer { state.isEnding = true }
                return !state.isEnding
            }
            if isFirst {
                Task { [end, state] in
                    await end()
                    state.update { $0.hasEnded = true }
                }
            }
            await state.waitEvenIfCanceled { $0.hasEnded }
        }
    }
#endif
