public import Duet

/// A dispatcher that puts some commands into a queue, and forwards all other messages.
public struct QueueingDispatcher: Dispatcher, WrappingDispatcher {
    /// The queue.
    public let queue: CommandQueue

    /// All rules, in the order of the list.
    public let rules: [QueueRule]

    package let base: any Dispatcher

    package func passage<Q: Query>(of query: Q.Type) -> ValuePassage { .preserved }

    private let rulesByType: [ObjectIdentifier: QueueRule]
    /// The use of the queue, which ends with the last copy of this dispatcher.
    private let use: CommandQueueUse

    init(_ base: any Dispatcher, _ queue: CommandQueue, _ rules: [QueueRule]) throws(InvalidQueueRules) {
        if let faults = InvalidQueueRules(rules, queue, base) { throw faults }
        self.base = base
        self.queue = queue
        self.rules = rules
        rulesByType = Dictionary(rules.map { ($0.command, $0) }) { first, _ in first }
        use = CommandQueueUse(of: queue, sendingBy: rules, through: base)
    }

    /// Stores a command that has an ``Enqueue`` rule, or dispatches a message.
    ///
    /// - Throws: The error of the wrapped dispatcher; of a queued command, that of its encoding or of the store, or of
    ///   an answer that its sender waits for.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let rule = rulesByType[ObjectIdentifier(M.self)], let command = message as? any Command,
            let done = () as? M.Value
        else { return try await base.dispatch(message) }
        if let command = command as? any AnsweredCommand {
            let error = QueuedAnswer(name: M.messageName)
            if command.isAnswerAwaited { throw error }
            command.noteDelay(error)
        }
        try await queue.enqueue(command, by: rule)
        return done
    }

    func isQueued<C: Command>(_ command: C.Type) -> Bool { rulesByType[ObjectIdentifier(command)] != nil }

    /// Whether the wrapped dispatcher reports the changes.
    public func isLive<Q: Query>(_ query: Q.Type) -> Bool { base.isLive(query) }

    /// The values of the wrapped dispatcher.
    public func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        base.updates(of: query)
    }
}

extension Dispatcher {
    /// Returns this dispatcher behind a queue of commands.
    ///
    /// ```swift
    /// let queueing = try server.queueing(in: queue) {
    ///     Enqueue(PostComment.self, version: 1, inOrderOf: \.imageID)
    /// }
    /// let dispatcher = try queueing.caching(in: .memory(limit: .entries(1_000))) {
    ///     Cache(LoadComments.self, .maxAge(.minutes(5)))
    ///     Invalidate(LoadComments.self, after: PostComment.self) { $0.imageID == $1.imageID }
    /// }
    /// ```
    ///
    /// The queue sends through this dispatcher, for as long as the new one exists. A cache belongs in front of the
    /// queue, and carries out its rules when a command was sent. See <doc:QueuedCommands>.
    ///
    /// - Parameters:
    ///   - queue: The queue, which one dispatcher uses.
    ///   - rules: The rules, one per line.
    /// - Throws: ``InvalidQueueRules`` with every fault.
    public func queueing(
        in queue: CommandQueue,
        @ListBuilder<QueueRule> _ rules: () -> [QueueRule]
    ) throws(InvalidQueueRules) -> QueueingDispatcher {
        try QueueingDispatcher(self, queue, rules())
    }
}

/// The use of a queue by a dispatcher, which ends with this object.
private final class CommandQueueUse: Sendable {
    private let queue: CommandQueue

    init(of queue: CommandQueue, sendingBy rules: [QueueRule], through base: any Dispatcher) {
        self.queue = queue
        queue.start(CommandQueue.Destination(rules: rules, base: base))
    }

    deinit { queue.stop() }
}
