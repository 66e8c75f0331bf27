public import Duet

/// Sends messages to the nodes of a cluster.
///
/// A query is sent again if no node serves it now, if a node does not answer in time, or if the connection is lost. A
/// command is added to the log, also again with the same identifier, until the log has it.
///
/// A message and its value are encoded as JSON. The names of its properties must not change as long as nodes of an
/// earlier version run, or commands of one wait.
public struct ClusterDispatcher: Dispatcher, TrackedSource {
    private let messages: MessageList
    private let sender: Sender
    private var acknowledgment = Acknowledgment.handled

    /// Creates a dispatcher that sends the messages of a list to the nodes that serve them.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - engine: The cluster.
    ///   - options: Times and limits.
    ///   - clock: Measures the time.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
    public init(
        _ messages: MessageAPI,
        on engine: any ClusterEngine,
        options: ClusterOptions = ClusterOptions(),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(InvalidMessageAPI) {
        self.messages = try MessageList(messages)
        sender = Sender(engine, options, clock: clock)
    }

    /// Connects the sources that nodes track with a cache in front of this dispatcher.
    public var tracker: DataTracker { sender.source.tracker }

    /// A dispatcher that returns from a command as soon as the log has it, and not only after it was handled.
    ///
    /// ```swift
    /// try await remote.accepting.dispatch(RateTalk(id: "swift", stars: 4))
    /// ```
    ///
    /// The outcome is not known to the sender. A command that cannot be handled becomes a dead letter. `answer(to:)`
    /// returns the value after the command has ended, also if it has failed.
    public var accepting: ClusterDispatcher {
        var dispatcher = self
        dispatcher.acknowledgment = .accepted
        return dispatcher
    }

    /// Validates a message and sends it, and returns its value, or returns after the command was handled.
    ///
    /// A command with the principal and the idempotency key of an earlier one of its type is not handled again. Its
    /// dispatch has the outcome of the earlier one.
    ///
    /// The deadline of the task limits the time, or otherwise `ClusterOptions(timeout:)`.
    ///
    /// - Throws: The error of `validate()`; a declared error of the message; ``/Duet/MessageAPIError`` for one that is
    ///   not listed; ``ClusterError``; ``TransportError``; `CancellationError` if the task is canceled, although an
    ///   accepted command will be handled.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try (message as? any Validatable)?.validate()
        return try await messages.route(of: M.self).send(message, sender, acknowledgment)
    }
}

/// When the dispatch of a command returns.
enum Acknowledgment {
    case accepted, handled
}
