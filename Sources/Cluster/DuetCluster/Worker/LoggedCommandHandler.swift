import Duet
import DuetCaching
import DuetClusterEngine
import DuetContext
import Foundation

/// Handles commands of the log, tells all nodes about them, and sends the outcome to a sender that waits for it.
struct LoggedCommandHandler {
    /// The number of attempts to publish the end of a command, or its outcome, before its handler runs again.
    private static let publications = 10

    /// The name of the command of the log that the current task handles.
    @TaskLocal private static var handledMessage: String?

    let engine: any ClusterEngine
    let messages: MessageList
    let dispatcher: any Dispatcher
    let node: String
    let options: ClusterOptions
    let handlers: Handlers
    let unlisted: UnlistedCommands
    let sources: UsedSources
    let clock: any Clock<Duration>
    private let metrics = HandlingMetrics()

    static var isHandling: Bool { handledMessage != nil }

    /// Whether an invalidation is that of the command of the log that the current task handles.
    static func isHandling(_ invalidation: Invalidation) -> Bool {
        guard let handledMessage, case .command(let command) = invalidation else { return false }
        return type(of: command).messageName == handledMessage
    }

    @concurrent
    func handle(_ delivery: Delivery) async -> Disposition {
        let use = DataUse.ifUsed(.carried)
        let disposition = await DataUse.run(use) { await attempt(delivery) }
        if let use, use.isCarried, !use.record.writes.isEmpty {
            // Another attempt follows, and may be far away.
            let writes = RemoteInvalidation.writes(DataNames.text(ofWrites: use.record))
            _ = try? await engine.backplane.publish(ClusterEvent.invalidation(writes, node: node))
        }
        use?.end()
        metrics.count(delivery, disposition, of: messages[delivery.command.message])
        return disposition
    }

    /// Tells all nodes and the sender about a command whose attempts all ended with their processes.
    @concurrent
    func abandon(_ delivery: Delivery) async {
        let reason = "no attempt to handle it ended; see the logs of the nodes"
        let disposition = Disposition.dead(reason: reason)
        // Its handlers ran on other nodes.
        _ = await end(delivery, with: .failure(reason: reason), disposition, by: "")
        metrics.count(delivery, disposition, of: messages[delivery.command.message])
    }

    private func attempt(_ delivery: Delivery) async -> Disposition {
        let command = delivery.command
        if let disposition = await endOfEarlierAttempt(delivery) { return disposition }
        guard let message = messages[command.message] else {
            if let delay = await unlisted.delay(of: delivery) { return .skipped(after: delay) }
            let name = command.message.safe(upTo: ClusterCoding.longestName)
            let reason = "this node does not list \(name)"
            return await end(delivery, with: .failure(reason: reason), .dead(reason: reason), hasRun: false)
        }
        let context: TaskContext
        do { context = try self.context(of: command) } catch { return await end(delivery, with: .unreadable(error)) }
        let ended = await handlers.run(within: options.handlingTimeout) { [dispatcher] in
            await Self.$handledMessage.withValue(command.message) {
                do throws(MessageFailure) {
                    let body = command.envelope.body
                    let answer = try await message.receive(body, in: context, dispatcher)
                    return Result<Data, MessageFailure>.success(answer)
                } catch {
                    return .failure(error)
                }
            }
        }
        switch (ended.value, ended.interruption) {
        case (.success(let answer)?, _): return await end(delivery, with: .value(answer))
        case (.failure(let failure)?, nil): return await end(delivery, with: failure)
        case (let value, .timeout?):
            // The worker of a handler that goes on ends, and another one gets the command.
            if value == nil {
                handlers.noteStuck(command.message)
                DataUse.current?.noteWrite(nil)
            }
            let reason = "its handler did not end in time"
            return await fail(delivery, with: .failure(reason: reason), reason: reason, isStuck: value == nil)
        default: return .skipped(after: .zero)
        }
    }

    private func end(_ delivery: Delivery, with failure: MessageFailure) async -> Disposition {
        let outcome = MessageOutcome(failure)
        switch failure {
        case .declared(let error):
            let reason = outcome.failure.map { "\($0): \(error)".safe() }
            return await end(delivery, with: outcome, reason.map { .dead(reason: $0) } ?? .done)
        case .refused: return await end(delivery, with: outcome, hasRun: false)
        // No attempt could read it.
        case .unreadable(let error):
            return await end(delivery, with: outcome, .dead(reason: "\(error)".safe()), hasRun: false)
        case .fault(let error as any CommandRejecting) where error.rejection(of: delivery.command.message) == .failed:
            return await end(delivery, with: outcome, .dead(reason: "\(error)".safe()))
        case .foreign(let error as any Error), .fault(let error):
            return await fail(delivery, with: outcome, reason: "\(error)".safe())
        }
    }

    /// Ends a command whose outcome an earlier attempt has kept; returns nil if the handler has to run.
    private func endOfEarlierAttempt(_ delivery: Delivery) async -> Disposition? {
        guard delivery.attempt > 1 || delivery.skipped > 0 else { return nil }
        let found = await handlers.run {
            do {
                return Result<Envelope?, any Error>.success(
                    try await retrying {
                        try await engine.commands.outcome(of: delivery.command.id, at: delivery.position)
                    }
                )
            } catch {
                return .failure(error)
            }
        }
        switch found.value {
        case .success(let kept?)?:
            let outcome = MessageOutcome(of: kept)
            let disposition = outcome.failure.map { Disposition.dead(reason: $0) } ?? .done
            return await end(delivery, with: outcome, disposition, hasRun: false)
        case .success(nil)?: return nil
        // The log keeps no outcomes.
        case .failure(let error as TransportError)? where !error.isTemporary: return nil
        case .failure?, nil: return .skipped(after: delay(afterAttempt: delivery.attempt))
        }
    }

    private func context(of command: LoggedCommand) throws -> TaskContext {
        try command.envelope.checkReadable(of: command.message)
        var context = try command.envelope.context(of: command.message)
        let key = try command.envelope.idempotencyKey(of: command.message) ?? command.id
        context.service?.receiveIdempotencyKey(key, of: command.message, identity: command.id)
        return context
    }

    /// Makes another attempt, or a dead letter after the last one.
    private func fail(
        _ delivery: Delivery,
        with outcome: MessageOutcome,
        reason: String,
        isStuck: Bool = false
    ) async -> Disposition {
        guard delivery.attempt >= options.attempts else {
            return isStuck
                ? .retry(after: options.redelivery, reason: reason) : retry(delivery, reason: reason)
        }
        return await end(delivery, with: outcome, .dead(reason: reason))
    }

    private func retry(_ delivery: Delivery, reason: String) -> Disposition {
        .retry(after: delay(afterAttempt: delivery.attempt), reason: reason)
    }

    private func delay(afterAttempt attempt: Int) -> Duration {
        options.handlingDelays.delay(afterAttempt: attempt, random: 1)
    }

    /// Publishes the end of a command before the log forgets it, so that no node keeps a value that it made stale.
    ///
    /// - Parameters:
    ///   - hasRun: Whether a handler has run, which may have changed something before it failed.
    ///   - node: The node whose caches have carried out the rules; nil for this one.
    private func end(
        _ delivery: Delivery,
        with outcome: MessageOutcome,
        _ disposition: Disposition = .done,
        hasRun: Bool = true,
        by node: String? = nil
    ) async -> Disposition {
        let node = node ?? self.node
        let hasChanged = hasRun && !outcome.isDeclaredError
        let writes = writes(of: delivery, hasRun: hasRun)
        let isKept = Monitor(false)
        let ended = await handlers.run(isFinishing: true) {
            var events: UInt64?
            do {
                events = try await retrying(isHandled: outcome.isSuccess || hasRun && writes?.isEmpty == false) {
                    try await engine.backplane.publish(
                        ClusterEvent.ended(delivery, hasChanged: hasChanged, writes: writes, node: node)
                    )
                }
            } catch let error where outcome.isSuccess {
                return retry(delivery, reason: "its end could not be published: \(error)")
            } catch {
                // The handler does not run again for it; later queries with its position ask the log.
            }
            if outcome.isKept {
                do {
                    try await retrying(isHandled: outcome.isDeclaredError) {
                        try await engine.commands.keepOutcome(
                            outcome.envelope,
                            of: delivery.command.id,
                            at: delivery.position
                        )
                    }
                    isKept.update { $0 = true }
                } catch let error where outcome.isDeclaredError {
                    return retry(delivery, reason: "its outcome could not be kept: \(error)")
                } catch {
                    // A dead letter says the same. A log that keeps no outcomes has no answers for repeats.
                }
            }
            await reply(to: delivery, outcome, writes: writes, events)
            return disposition
        }
        switch (ended.value, ended.interruption) {
        // Repeats get the outcome that was kept, whether or not the sender got it.
        case (nil, _) where isKept.read(\.self): return disposition
        case (nil, _), (.retry?, _?): return .skipped(after: .zero)
        case (let disposition?, _): return disposition
        }
    }

    /// Asks the cluster, again if it fails for a time: that costs less than running a handler again.
    ///
    /// - Parameter isHandled: Whether the handler has done its work, and must not run again. Then only the end of the
    ///   worker ends the attempts, also while the cluster refuses, such as without room.
    @discardableResult
    private func retrying<Value>(isHandled: Bool = false, _ operation: () async throws -> Value) async throws -> Value {
        let delay = { attempts in
            isHandled || attempts < Self.publications ? self.delay(afterAttempt: attempts) : nil
        }
        return try await repeatingTemporaryFailures(clock, delay: delay) {
            do {
                return try await operation()
            } catch TransportError.refused(let reason) where isHandled {
                throw TransportError.connectionLost(reason: reason)
            }
        }
    }

    /// The names of what the handler has written; nil if nothing is tracked.
    ///
    /// An earlier attempt may have written what it could not tell.
    private func writes(of delivery: Delivery, hasRun: Bool) -> String? {
        let use = DataUse.current
        // A task that goes on is other work from here.
        use?.end()
        guard DataUse.areUsed else { return nil }
        guard delivery.attempt == 1, delivery.skipped == 0, let use else {
            return DataNames.everything
        }
        guard hasRun else { return "" }
        let record = sources.record(of: use)
        return sources.isEmpty ? nil : DataNames.text(ofWrites: record)
    }

    /// - Parameter events: The position of the event that has told of the end.
    private func reply(
        to delivery: Delivery,
        _ outcome: MessageOutcome,
        writes: String?,
        _ events: UInt64?
    ) async {
        let headers = delivery.command.envelope.headers
        guard let route = headers[Header.reply], Replies.isRoute(route) else { return }
        var envelope = outcome.envelope
        envelope.headers[Header.replyKey] = headers[Header.replyKey]
        envelope.headers[Header.writes] = writes
        envelope.events = events
        // A sender that is gone, or that does not answer, has no use for the outcome.
        _ = try? await engine.queries.ask(route, envelope, timeout: .seconds(2))
    }
}

extension MessageOutcome {
    fileprivate var isSuccess: Bool { if case .value = self { true } else { false } }
    /// Whether a repeat, or a sender that has lost the reply, needs it: not a success without an answer.
    fileprivate var isKept: Bool { if case .value(let answer) = self { !answer.isEmpty } else { true } }
    fileprivate var isDeclaredError: Bool { if case .error = self { true } else { false } }
    fileprivate var failure: String? { if case .failure(let reason) = self { reason } else { nil } }
}
