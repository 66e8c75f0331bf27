#if NATS
    import DuetCluster
    import Synchronization

    /// The workers of all partitions on this node, and the timer that they share.
    final class CommandProcessing: Sendable {
        private let workers: [CommandWorker]
        private let inbox: RequestInbox
        private let tasks = Mutex<[Task<Void, Never>]>([])
        private let observation = Mutex<ConnectionObservation?>(nil)
        private let timer = Mutex<Task<Void, Never>?>(nil)

        init(_ workers: [CommandWorker], _ inbox: RequestInbox, redelivery: Duration) {
            self.workers = workers
            self.inbox = inbox
            let observation = inbox.connection.observe { [weak self] event in
                switch event {
                case .connected: self?.workers.forEach { $0.pull.restart() }
                case .closed: self?.end()
                default: break
                }
            }
            self.observation.withLock { $0 = observation }
            tasks.withLock { $0 = workers.map { worker in Task { await worker.run() } } }
            timer.withLock { timer in
                timer = Task { [workers] in await Self.tick(workers, every: min(.seconds(1), redelivery / 3)) }
            }
        }

        private func end() {
            for worker in workers { worker.stop() }
            timer.withLock { $0 }?.cancel()
        }

        /// Takes no further commands, and returns when those that are being handled have ended.
        func stop() async {
            for worker in workers { worker.stop() }
            for task in tasks.withLock({ $0 }) { await task.value }
            timer.withLock { $0 }?.cancel()
            // The acknowledgments are at the server.
            await inbox.roundTrip()
        }

        /// Signals that commands are still being handled, and repeats pulls that nothing was heard of.
        private static func tick(_ workers: [CommandWorker], every interval: Duration) async {
            while (try? await ContinuousClock().sleep(for: interval)) != nil {
                for worker in workers { worker.keepAlive() }
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
    }
#endif
