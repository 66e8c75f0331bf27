public import Duet

/// Times and limits of a cluster's dispatchers and workers.
public struct ClusterOptions: Sendable {
    package var address: String?
    package var timeout: Duration
    package var attemptTimeout: Duration
    package var delays: RetryPolicy
    package var handlingTimeout: Duration?
    package var shutdownTimeout: Duration
    package var concurrency: Int
    package var attempts: Int
    package var redelivery: Duration
    package var handlingDelays: RetryPolicy

    /// Creates options.
    ///
    /// With the default ones, a command that cannot be handled delays its partition for at most 30 seconds.
    ///
    /// - Parameters:
    ///   - address: The beginning of the links in values of a ``/Duet/LinkingQuery``, for a node that passes them on;
    ///     nil for `http://localhost`. A slash at its end is ignored.
    ///   - timeout: The time that a message without a deadline may take, including all attempts.
    ///   - attemptTimeout: The time after which a query is sent to another node.
    ///
    ///     It must be longer than the slowest handler takes. The handler of a query has the time that its sender allows
    ///     for the attempt: this time, or what remains of the sender's deadline. A worker cancels it then, or after its
    ///     own attempt timeout, also if the sender allows more.
    ///   - delays: The delays between the attempts to send a message, whose number only the deadline limits.
    ///   - handlingTimeout: The time after which a worker cancels the handler of a command; nil for no limit.
    ///
    ///     The attempt has then failed, and the command gets another one after the handler has returned. Its partition
    ///     waits meanwhile, so that order and inbox hold. If the handler does not return within the same time again,
    ///     its worker ends with ``ClusterError/handlerDoesNotEnd(message:)``. The handler of a query has the time that
    ///     `attemptTimeout` describes.
    ///   - shutdownTimeout: The time in which the handlers of a worker that shuts down can end, before it cancels them.
    ///
    ///     A command whose handler was canceled is handled by another worker, or by the next one that starts:
    ///
    ///     - It does not become a dead letter, even if this was its last attempt.
    ///     - An error of the canceled handler does not end it, even if the command declares that error.
    ///     - It is done if the handler succeeds in spite of its cancellation.
    ///
    ///     A query whose handler was canceled fails at its sender. A canceled handler can still end within a second.
    ///     The worker then takes at most another second to publish the ends of its commands.
    ///   - concurrency: The number of queries of one type that a worker handles concurrently; more of them wait.
    ///   - attempts: The number of times that a command is delivered before it becomes a dead letter.
    ///   - redelivery: The time after which another node gets the command of a failed one:
    ///     ``/DuetClusterEngine/ProcessingOptions``.
    ///   - handlingDelays: The delays between the attempts to handle a command.
    public init(
        address: String? = nil,
        timeout: Duration = .seconds(15),
        attemptTimeout: Duration = .seconds(5),
        delays: RetryPolicy = RetryPolicy(
            backoff: .exponential(initial: .milliseconds(20), maximum: .milliseconds(500))
        ),
        handlingTimeout: Duration? = .seconds(300),
        shutdownTimeout: Duration = .seconds(5),
        concurrency: Int = 64,
        attempts: Int = 5,
        redelivery: Duration = .seconds(5),
        handlingDelays: RetryPolicy = RetryPolicy(
            backoff: .exponential(initial: .milliseconds(100), maximum: .seconds(2)),
            jitter: false
        )
    ) {
        self.address = address.map { String($0.dropLast($0.reversed().prefix { $0 == "/" }.count)) }
        self.timeout = timeout
        self.attemptTimeout = attemptTimeout
        self.delays = delays
        self.handlingTimeout = handlingTimeout
        self.shutdownTimeout = shutdownTimeout
        self.concurrency = concurrency
        self.attempts = attempts
        self.redelivery = redelivery
        self.handlingDelays = handlingDelays
    }
}
