import DuetCluster
import DuetClusterEngine

/// A node of a cluster whose parts a test replaces.
struct CustomEngine: ClusterEngine {
    var queries: any QueryTransport
    var commands: any CommandLog
    var backplane: any Backplane

    init(_ base: some ClusterEngine) {
        queries = base.queries
        commands = base.commands
        backplane = base.backplane
    }
}

/// A log of commands some of whose operations a test replaces.
struct CustomLog: CommandLog {
    let base: any CommandLog
    var onAppend: @Sendable (Appended) async throws -> Void = { _ in }
    var onHandledPosition: @Sendable (LogPosition) async throws -> Void = { _ in }
    /// Is called after an outcome was kept.
    var onKeepOutcome: @Sendable () async throws -> Void = {}
    /// The log in place of `base`, as after a loss of it.
    var replacement: @Sendable () -> (any CommandLog)? = { nil }

    private var current: any CommandLog { replacement() ?? base }

    var partitionCount: Int { base.partitionCount }
    var deadLetters: any DeadLetters { current.deadLetters }

    func epoch() async throws -> UInt64 { try await current.epoch() }

    func append(_ command: LoggedCommand) async throws -> Appended {
        let appended = try await current.append(command)
        try await onAppend(appended)
        return appended
    }

    func process(
        _ options: ProcessingOptions,
        abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
        _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
    ) async throws -> any Registration { try await current.process(options, abandoned: abandoned, handler) }

    func handledPosition(in partition: Int) async throws -> LogPosition {
        let position = try await current.handledPosition(in: partition)
        try await onHandledPosition(position)
        return position
    }

    func lastPosition(in partition: Int) async throws -> LogPosition { try await current.lastPosition(in: partition) }

    func contains(_ id: String, at position: LogPosition) async throws -> Bool {
        try await current.contains(id, at: position)
    }

    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws {
        try await current.keepOutcome(outcome, of: id, at: position)
        try await onKeepOutcome()
    }

    func outcome(of id: String, at position: LogPosition) async throws -> Envelope? {
        try await current.outcome(of: id, at: position)
    }

    func statistics() async throws -> LogStatistics { try await current.statistics() }
}

/// A transport of queries that a test delays.
struct CustomQueries: QueryTransport {
    let base: any QueryTransport
    /// Is called before a question is sent.
    var onAsk: @Sendable () async -> Void = {}

    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
        await onAsk()
        return try await base.ask(route, request, timeout: timeout)
    }

    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration { try await base.serve(route, limit: limit, handler) }
}

/// A backplane some of whose operations a test replaces.
struct CustomBackplane: Backplane {
    let base: any Backplane
    var onPublish: @Sendable (Envelope) async throws -> Void = { _ in }
    /// Is called before an event is delivered.
    var onEvent: @Sendable (BackplaneEvent) async -> Void = { _ in }

    func publish(_ event: Envelope) async throws -> UInt64 {
        try await onPublish(event)
        return try await base.publish(event)
    }

    func follow() async throws -> BackplaneFollower {
        let base = try await base.follow()
        let (events, continuation) = AsyncStream<BackplaneEvent>.makeStream()
        let task = Task { [onEvent] in
            for await event in base.events {
                await onEvent(event)
                continuation.yield(event)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return BackplaneFollower(start: base.start, events: events)
    }
}

extension QueryTransport {
    /// Sends a request as soon as a node serves its route.
    func askWhenServed(_ route: String, _ request: Envelope) async throws -> Envelope {
        while true {
            do {
                return try await ask(route, request, timeout: .seconds(60))
            } catch TransportError.noNode {
                await Task.yield()
            }
        }
    }
}
