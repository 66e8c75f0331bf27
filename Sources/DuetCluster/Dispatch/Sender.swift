import Duet
import DuetContext
import Foundation
import ServiceContextModule

/// Sends messages of any type as bytes, and retries what the cluster could not carry.
final class Sender: Sendable {
    private let engine: any ClusterEngine
    private let options: ClusterOptions
    private let clock: any Clock<Duration>
    private let replies: Replies
    private let random = RandomUnit(SystemRandomNumberGenerator())

    init(_ engine: any ClusterEngine, _ options: ClusterOptions, clock: any Clock<Duration>) {
        self.engine = engine
        self.options = options
        self.clock = clock
        replies = Replies(engine)
    }

    // MARK: Queries

    /// - Returns: The encoded value.
    func ask(_ name: String, _ body: Data, declared errors: [any DeclaredError.Type]) async throws -> Data {
        let deadline = deadline
        var request = Envelope(body: body)
        if let context = ServiceContext.current { try request.add(context, to: name) }
        if let token = WriteToken.current?.text, !token.isEmpty { request.headers[Header.token] = token }
        let response = try await retrying(deadline) { remaining in
            let limit = min(remaining, self.options.attemptTimeout)
            request.headers[Header.deadline] = String(Int(limit.milliseconds))
            return try await self.engine.queries.ask(name, request, timeout: limit)
        }
        try response.checkReadable(of: name)
        return try Outcome(of: response).value(of: name, declared: errors + options.declaredErrors)
    }

    // MARK: Commands

    func submit(
        _ command: LoggedCommand,
        until acknowledgment: Acknowledgment,
        declared errors: [any DeclaredError.Type]
    ) async throws {
        let deadline = deadline
        guard acknowledgment == .handled else { return _ = try await append(command, deadline) }
        let reply = try await retrying(deadline) { _ in try await self.replies.expect() }
        defer { replies.forget(reply) }
        let id = command.id
        var command = command
        command.envelope.headers[Header.reply] = reply.route
        command.envelope.headers[Header.replyKey] = String(reply.number)
        let appended = try await append(command, deadline)
        let outcome = try await withTimeout(
            max(.zero, deadline.remaining),
            clock: clock,
            error: ClusterError.notHandledInTime(message: command.message, id: id)
        ) {
            guard appended.isRepeat else { return try await reply.outcome() }
            async let _: Void = self.finish(reply, id, at: appended.position)
            return try await reply.outcome()
        }
        _ = try outcome.value(of: command.message, declared: errors + options.declaredErrors)
    }

    private func append(_ command: LoggedCommand, _ deadline: Deadline) async throws -> Appended {
        let appended = try await retrying(deadline) { _ in try await self.engine.commands.append(command) }
        WriteToken.current?.note(appended.position)
        return appended
    }

    /// Finishes a reply when the log has handled the command, because its outcome may have gone to another sender.
    ///
    /// If an acknowledgment of the log was lost, the outcome comes to this reply. It comes before the command is done,
    /// and the reply keeps what comes first.
    private func finish(_ reply: Replies.Reply, _ id: String, at position: LogPosition) async {
        var count = 0
        while !Task.isCancelled {
            do {
                let handled = try await engine.commands.handledPosition(in: position.partition)
                if handled.sequence >= position.sequence {
                    let letter = try await engine.commands.deadLetters.find(position)
                    guard let letter, letter.command.id.utf8.elementsEqual(id.utf8) else {
                        return reply.finish(.success(.value(Data())))
                    }
                    let reason = "it is a dead letter, which says why"
                    return reply.finish(.success(.failure(reason: reason)))
                }
            } catch let error as TransportError where error.isTemporary {
                // The log may be reached in time.
            } catch {
                return reply.finish(.failure(error))
            }
            count += 1
            try? await clock.sleep(for: options.delays.delay(afterAttempt: count, random: random.next()))
        }
    }

    // MARK: Attempts

    private var deadline: Deadline {
        if let deadline = Deadline.current, deadline.remaining <= options.timeout { return deadline }
        return Deadline(in: options.timeout, clock: clock)
    }

    /// Makes attempts until one succeeds, fails for good, or the deadline is over.
    private func retrying<Value>(
        _ deadline: Deadline,
        _ attempt: (_ remaining: Duration) async throws -> Value
    ) async throws -> Value {
        let delay = { [options, random] attempts in
            let delay = options.delays.delay(afterAttempt: attempts, random: random.next())
            return delay < deadline.remaining ? delay : nil
        }
        return try await repeatingTemporaryFailures(clock, delay: delay) {
            try await attempt(max(.zero, deadline.remaining))
        }
    }
}

extension Duration {
    /// The number of milliseconds, rounded down, at most a day.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = min(self, .seconds(86_400)).components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
