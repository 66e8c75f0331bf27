import ServiceContextModule

/// Runs `operation` with a deadline that lies `duration` from now.
///
/// The deadline travels with every message that the operation dispatches; whoever does the work looks at it. An earlier
/// one that the task already has stays: nobody gives out more time than was given to them.
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
