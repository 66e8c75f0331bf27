#if HTTP

    import ServiceContextModule

    /// Runs `operation` with a deadline that lies `duration` from now.
    ///
    /// The deadline travels with every message that the operation dispatches. One that goes out over HTTP is cancelled when the
    /// time is up, and tells its server how long there is; other work has to look at the deadline itself. An earlier one that the
    /// task already has stays: nobody gives out more time than was given to them.
    ///
    /// - Throws: What `operation` throws.
    public func withDeadline<C: Clock, Value>(
        in duration: Duration,
        clock: C = ContinuousClock(),
        operation: () async throws -> Value
    ) async rethrows -> Value where C.Duration == Duration {
        var context = ServiceContext.current ?? .topLevel
        let deadline = Deadline(in: duration, clock: clock)
        if let outer = context.deadline, outer.remaining <= deadline.remaining { return try await operation() }
        context.deadline = deadline
        return try await ServiceContext.withValue(context) { try await operation() }
    }

#endif
