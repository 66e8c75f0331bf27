public import Duet
public import DuetCaching
import DuetClusterEngine
import Foundation
public import ServiceLifecycle

/// A node that handles messages of a cluster: it answers queries, and takes commands from the log.
///
/// Workers with the same messages share the work. As a `Service` it runs until the graceful shutdown, and then finishes
/// what it has begun. It cancels what has not ended after `ClusterOptions(shutdownTimeout:)`, and other workers get the
/// commands among that.
public final class ClusterWorker: Service {
    private let engine: any ClusterEngine
    private let dispatcher: any Dispatcher
    private let messages: MessageList
    private let caches: [QueryCache]
    private let options: ClusterOptions
    private let handlers: Handlers
    private let sources = UsedSources()
    private let clock: any Clock<Duration>
    private let node = UUID().uuidString

    /// Creates a worker for the messages of a list.
    ///
    /// A message is validated, and then authorized by the rule of the list for the principal of its sender. A command
    /// that is refused is not tried again and does not become a dead letter, and its sender learns why.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - dispatcher: Handles the messages.
    ///   - engine: The cluster.
    ///   - caches: Caches of this node, whose values become stale with the commands and invalidations of all nodes.
    ///   - options: Times and limits.
    ///   - clock: Measures the time.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
    public init(
        _ messages: MessageAPI,
        _ dispatcher: any Dispatcher,
        on engine: any ClusterEngine,
        caches: [QueryCache] = [],
        options: ClusterOptions = ClusterOptions(),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(InvalidMessageAPI) {
        self.messages = try MessageList(messages, handledBy: dispatcher)
        self.dispatcher = dispatcher
        self.engine = engine
        self.caches = caches
        self.options = options
        handlers = Handlers(clock)
        self.clock = clock
    }

    /// Handles messages until the task is canceled or the service group shuts down, and then finishes what has begun.
    ///
    /// It waits until the cluster can be reached.
    ///
    /// - Throws: ``ClusterError/handlerDoesNotEnd(message:)``; ``TransportError`` if the cluster refuses the work.
    public func run() async throws {
        let positions = Positions(engine, hasCaches: !caches.isEmpty)
        let connection = try await whenConnected(clock) { [self] in
            try await CacheConnection.start(
                engine,
                messages,
                caches,
                node: node,
                positions: positions,
                clock: clock,
                isCarried: LoggedCommandHandler.isHandling
            )
        }
        guard let connection else { return }
        defer { connection.stop() }
        let registrations = try await whenConnected(clock) { [self] in try await register(positions) }
        guard let registrations else { return }
        // The work goes on, and is finished, in tasks that are not canceled before it is time.
        let stuck = await waitForEnd(or: handlers.waitUntilStuck)
        let timer = handlers.end(after: options.shutdownTimeout)
        defer { timer.cancel() }
        await withDiscardingTaskGroup { group in
            for registration in registrations { group.addTask { await registration.stop() } }
        }
        if let stuck { throw ClusterError.handlerDoesNotEnd(message: stuck) }
    }

    private func register(_ positions: Positions) async throws -> [any Registration] {
        var registrations: [any Registration] = []
        do {
            for message in messages.all where !message.isCommand {
                let handler = QueryAnswering(
                    message: message,
                    dispatcher: dispatcher,
                    positions: positions,
                    options: options,
                    handlers: handlers,
                    sources: sources,
                    clock: clock
                )
                registrations.append(
                    try await engine.queries.serve(message.name, limit: options.concurrency) { request in
                        await handler.answer(request)
                    }
                )
            }
            let commands = messages.all.filter(\.isCommand)
            if !commands.isEmpty {
                let handler = LoggedCommandHandler(
                    engine: engine,
                    messages: messages,
                    dispatcher: dispatcher,
                    node: node,
                    options: options,
                    handlers: handlers,
                    unlisted: UnlistedCommands(engine.queries, delays: options.handlingDelays, clock: clock),
                    sources: sources,
                    clock: clock
                )
                registrations.append(
                    try await engine.commands.process(
                        ProcessingOptions(attempts: options.attempts, redelivery: options.redelivery),
                        abandoned: { await handler.abandon($0) },
                        { await handler.handle($0) }
                    )
                )
                // Others leave commands to a node that takes them already.
                for command in commands {
                    registrations.append(try await UnlistedCommands.announce(command, on: engine.queries))
                }
            }
        } catch {
            for registration in registrations { await registration.stop() }
            throw error
        }
        return registrations
    }
}
