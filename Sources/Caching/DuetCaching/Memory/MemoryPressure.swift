#if canImport(Darwin)

    import Dispatch

    /// Calls a closure each time the system reports memory pressure.
    final class MemoryPressure: Sendable {
        private let task: Task<Void, Never>

        init(_ reduce: @escaping @Sendable () -> Void) {
            task = Task.detached {
                let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical])
                let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                source.setEventHandler { continuation.yield() }
                source.activate()
                for await _ in events { reduce() }
                source.cancel()
            }
        }

        deinit { task.cancel() }
    }

#endif
