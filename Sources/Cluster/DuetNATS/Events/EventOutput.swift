#if NATS
    import DuetCluster
    import DuetClusterEngine

    /// The events of a follower, with a gap in place of those that it did not read in time.
    final class EventOutput {
        private let events: AsyncStream<BackplaneEvent>.Continuation
        /// The position of the last event that was discarded; nil if a gap is not due.
        private var missed: UInt64?

        init(_ events: AsyncStream<BackplaneEvent>.Continuation) { self.events = events }

        func yield(_ event: BackplaneEvent) {
            if missed != nil {
                missed = event.position
                return retry()
            }
            if case .dropped = events.yield(event) { missed = event.position }
        }

        /// Reports a gap that is due, if there is room for it now.
        func retry() {
            guard let position = missed else { return }
            if case .enqueued = events.yield(.gap(position: position)) { missed = nil }
        }
    }
#endif
