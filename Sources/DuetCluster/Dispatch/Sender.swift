import Duet
import DuetContext
import Foundation
import ServiceContextModule

/// Sends messages of any type as bytes, and retries what the cluster could not carry.
final class Sender: Sendable {
    /// The time after which a sender asks the log about a command whose outcome has not arrived.
    private static let pause: Duration = .seconds(1)

    private let engine: any ClusterEngine
    private let options: ClusterOptions
    private let clock: any Clock<Duration>
    private let replies: Replies
    private let log: LogState
    private let random = RandomUnit(SystemRandomNumberGenerator())

    init(_ engine: any ClusterEngine, _ options: ClusterOptions, clock: any Clock<Duration>) {
        self.engine = engine
        self.options = options
        self.clock = clock
        replies = Replies(engine)
        log = LogState(engine)
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
        guard !CommandHandling.isHandling else { throw ClusterError.waitsInHandler(message: command.message) }
        let reply = try await retrying(deadline) { _ in try await self.replies.expect() }
        defer { replies.forget(reply) }
        let id = command.id
        var command = command
        command.envelope.headers[Header.reply] = reply.route
        command.envelope.headers[Header.replyKey] = String(reply.number)
        let appended = try await append(command, deadline)
        let error: ClusterError =
            command.envelope.headers[Header.key] == nil
            ? .notHandledInTime(message: command.message, id: id) : .outcomeUnknown(message: command.message, id: id)
        let outcome = try await withTimeout(max(.zero, deadline.remaining), clock: clock, error: error) {
            async let _: Void = self.finish(reply, id, appended)
            return try await reply.outcome()
        }
        _ = try outcome.value(of: command.message, declared: errors + options.declaredErrors)
    }

    private func append(_ command: LoggedCommand, _ deadline: Deadline) async throws -> Appended {
        let appended = try await retrying(deadline) { _ in try await self.engine.commands.append(command) }
        if let token = WriteToken.current {
            token.note(appended.position, epoch: try await engine.commands.epoch(isFresh: false))
        }
        return appended
    }

    /// Finishes a reply when the log has handled the command, because its outcome may have gone to another sender, or
    /// have been lost with the connection.
    ///
    /// The outcome comes to the reply before the command is done, and the reply keeps what comes first.
    private func finish(_ reply: Replies.Reply, _ id: String, _ appended: Appended) async {
        let position = appended.position
        var count = 0
        // The outcome of a new command usually comes by itself.
        if !appended.isRepeat { try? await clock.sleep(for: Self.pause) }
        while !Task.isCancelled {
            do {
                if try await log.handled(in: position.partition) >= position.sequence {
                    return reply.finish(.success(try await outcome(of: id, at: position)))
                }
            } catch let error as TransportError where error.isTemporary {
                // The log may be reached in time.
            } catch {
                return reply.finish(.failure(error))
            }
            count += 1
            let delay = options.delays.delay(afterAttempt: count, random: random.next())
            try? await clock.sleep(for: appended.isRepeat ? delay : max(delay, Self.pause))
        }
    }

    /// The outcome of a command that was handled: success, unless the log has another one.
    private func outcome(of id: String, at position: LogPosition) async throws -> Outcome {
        if let letter = try await engine.commands.deadLetters.find(position),
            letter.command.id.utf8.elementsEqual(id.utf8)
        {
            return .failure(reason: "it is a dead letter, which says why")
        }
        return try await engine.commands.outcome(of: id, at: position).map { Outcome(of: $0) } ?? .value(Data())
    }

    // MARK: Attempts

    private var deadline: Deadline {
        Deadline.current ?? Deadline(in: options.timeout, clock: clock)
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
