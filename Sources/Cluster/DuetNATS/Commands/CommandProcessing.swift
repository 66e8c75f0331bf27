#if NATS
    import Dispatch
    import Synchronization

    /// The workers of all partitions on this node, and the timer that they share.
    final class CommandProcessing: Sendable {
        private let workers: [CommandWorker]
        private let inbox: RequestInbox
        private let tasks = Mutex<[Task<Void, Never>]>([])
        private let observation = Mutex<ConnectionObservation?>(nil)
        private let isEnded = Mutex(false)
        /// The timer is not a task: handlers that block all threads of Swift's tasks must not keep a node from
        /// telling the server that it lives.
        private let timer = DispatchQueue(label: "DuetNATS.commands")
        private let interval: Duration

        init(_ workers: [CommandWorker], _ inbox: RequestInbox, redelivery: Duration) {
            self.workers = workers
            self.inbox = inbox
            interval = min(.seconds(1), redelivery / 3)
            let observation = inbox.connection.observe { [weak self] event in
                switch event {
                case .connected: self?.workers.forEach { $0.pull.restart() }
                case .closed: self?.end()
                default: break
                }
            }
            self.observation.withLock { $0 = observation }
            let running = workers.map { worker in Task { await worker.run() } }
            tasks.withLock { $0 = running }
            scheduleTick()
        }

        private func end() {
            for worker in workers { worker.stop() }
            isEnded.withLock { $0 = true }
        }

        func stop() async {
            for worker in workers { worker.stop() }
            for task in tasks.withLock({ $0 }) { await task.value }
            isEnded.withLock { $0 = true }
            // The acknowledgments are at the server.
            await inbox.roundTrip()
        }

        private func scheduleTick() {
            timer.asyncAfter(deadline: .now() + .nanoseconds(Int(interval.nanoseconds))) { [weak self] in
                guard let self, !isEnded.withLock({ $0 }) else { return }
                tick()
                scheduleTick()
            }
        }

        /// Signals that commands are still being handled, and repeats pulls that nothing was heard of.
        private func tick() {
            for worker in workers { worker.pull.keepAlive() }
            for worker in workers where worker.pull.check() {
                // Not awaited: the timer must go on while the servers elect a leader.
                Task {
                    do {
                        try await worker.consumer.create()
                    } catch {
                        // The next check finds it missing again.
                    }
                }
            }
        }
    }
#endif
