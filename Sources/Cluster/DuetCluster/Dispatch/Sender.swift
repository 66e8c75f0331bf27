import Duet
import DuetClusterEngine
import DuetContext
import Foundation

/// Sends messages of any type as bytes, and retries what the cluster could not carry.
final class Sender: Sendable {
    /// The time after which a sender asks the log about a command whose outcome has not arrived.
    private static let pause: Duration = .seconds(1)

    let source: ClusterSource
    /// The beginning of links; nil for that of the payload.
    var address: String? { options.address }

    private let engine: any ClusterEngine
    private let options: ClusterOptions
    private let clock: any Clock<Duration>
    private let replies: Replies
    private let log: LogState
    private let random = RandomUnit(SystemRandomNumberGenerator())

    init(_ engine: any ClusterEngine, _ options: ClusterOptions, clock: any Clock<Duration>) {
        source = .of(engine)
        self.engine = engine
        self.options = options
        self.clock = clock
        replies = Replies(engine)
        log = LogState(engine)
    }

    // MARK: Queries

    /// - Parameters:
    ///   - reading: Whose value may have to contain events, and learns which ones it does contain.
    ///   - response: The response to a command that the query answers.
    /// - Returns: The encoded value.
    func ask(
        _ name: String,
        _ body: Data,
        for reading: Reading?,
        answering response: AnswerResponse? = nil,
        declared errors: [any DeclaredError.Type]
    ) async throws -> Data {
        let deadline = deadline
        var request = Envelope(body: body)
        try request.addContext(to: name)
        request.events = reading.flatMap(engine.requiredPosition)
        let token = response?.content as? WriteToken ?? WriteToken.current
        if let token = token?.text, !token.isEmpty { request.headers[Header.token] = token }
        let response = try await retrying(deadline) { remaining in
            let limit = min(remaining, self.options.attemptTimeout)
            request.headers[Header.deadline] = String(Int(limit.milliseconds))
            return try await self.engine.queries.ask(name, request, timeout: limit)
        }
        try response.checkReadable(of: name)
        source.noteRead(response.headers[Header.reads], of: name)
        let value = try MessageOutcome(of: response).value(of: name, declared: errors)
        reading?.note(response.events.flatMap(engine.version))
        return value
    }

    // MARK: Commands

    /// Adds a command to the log, and waits for its end.
    ///
    /// - Returns: What its handler has returned; empty for nothing, and if nobody waits.
    func submit(
        _ command: LoggedCommand,
        until acknowledgment: Acknowledgment,
        declared errors: [any DeclaredError.Type]
    ) async throws -> Data {
        let deadline = deadline
        guard acknowledgment == .handled else {
            // Its end tells the nodes, but no client of a server in this process.
            if !LoggedCommandHandler.isHandling { DataUse.current?.noteWrite(nil) }
            _ = try await append(command, deadline)
            return Data()
        }
        guard !LoggedCommandHandler.isHandling else { throw ClusterError.waitsInHandler(message: command.message) }
        let reply = try await retrying(deadline) { _ in try await self.replies.expect() }
        defer { replies.forget(reply) }
        var command = command
        command.envelope.headers[Header.reply] = reply.route
        command.envelope.headers[Header.replyKey] = String(reply.number)
        let (added, message, id) = (try await append(command, deadline), command.message, command.id)
        let unknown = ClusterError.outcomeUnknown(message: message, id: id)
        let hasKey = command.envelope.headers[Header.key] != nil
        let late = hasKey ? unknown : .notHandledInTime(message: message, id: id)
        var end: Replies.Reply.End?
        defer {
            let version = end?.events.flatMap(engine.version)
            CommandVersion.current?.note(version)
            source.noteWrite(end?.writes, version)
        }
        end = try await withTimeout(max(.zero, deadline.remaining), clock: clock, error: late) { [command] in
            let lost = hasKey ? unknown : .lost(message: message, id: id)
            async let _: Void = self.finish(reply, command, added, lost: lost)
            return try await reply.end()
        }
        return try end?.outcome.value(of: message, declared: errors) ?? Data()
    }

    private struct Added {
        let position: LogPosition
        let isRepeat: Bool
        /// The number of the log.
        let epoch: UInt64
    }

    /// Adds a command, and notes its position in the current write token.
    ///
    /// - Returns: The command in the log, whose number is from any time before unless there is a token.
    private func append(_ command: LoggedCommand, _ deadline: Deadline) async throws -> Added {
        try await retrying(deadline) { _ in
            let added = try await self.append(command, epoch: self.log.knownEpoch())
            guard let token = WriteToken.current else { return added }
            let current = try await self.confirm(added, command)
            token.note(current.position, epoch: current.epoch)
            return current
        }
    }

    private func append(_ command: LoggedCommand, epoch: UInt64) async throws -> Added {
        let appended = try await engine.commands.append(command)
        return Added(position: appended.position, isRepeat: appended.isRepeat, epoch: epoch)
    }

    /// Returns a command in the log whose number is the same before it was added and now.
    ///
    /// If the log is another one, the command is added again: that finds it if it was added after the change.
    /// The acknowledgment of a command does not name its log.
    private func confirm(_ added: Added, _ command: LoggedCommand) async throws -> Added {
        var added = added
        while case let epoch = try await log.epoch(), epoch != added.epoch {
            added = try await append(command, epoch: epoch)
        }
        return added
    }

    /// Finishes a reply when the log has handled the command, because its outcome may have gone to another sender, or
    /// have been lost with the connection; and if the log was lost.
    ///
    /// The outcome comes to the reply before the command is done, and the reply keeps what comes first.
    private func finish(_ reply: Replies.Reply, _ command: LoggedCommand, _ added: Added, lost: ClusterError) async {
        var confirmed: Added?
        var count = 0
        while !Task.isCancelled {
            do {
                if let confirmed {
                    // Asked first: a command that is gone, and is not handled after that, was never handled.
                    let isThere = try await engine.commands.contains(command.id, at: confirmed.position)
                    let handled = try await log.handled(in: confirmed.position.partition)
                    // Another log has other commands at the same positions.
                    guard try await log.epoch() == confirmed.epoch else { return reply.finish(.failure(lost)) }
                    let isHandled = handled >= confirmed.position.sequence
                    let outcome = isHandled ? try await outcome(of: command.id, at: confirmed.position) : nil
                    if let outcome { return reply.finish(.success((outcome, nil, nil))) }
                    if !isThere { return reply.finish(.failure(lost)) }
                    if isHandled { return reply.finish(.success((.value(Data()), nil, nil))) }
                } else {
                    confirmed = try await confirm(added, command)
                    // The outcome of a new command usually comes by itself.
                    if added.isRepeat { continue }
                }
            } catch let error as TransportError where error.isTemporary {
                // The log may be reached in time.
            } catch {
                return reply.finish(.failure(error))
            }
            count += 1
            let delay = options.delays.delay(afterAttempt: count, random: random.next())
            try? await clock.sleep(for: added.isRepeat ? delay : max(delay, Self.pause))
        }
    }

    /// The outcome of a command that was kept, as of one that has failed; nil if it was handled without an answer.
    private func outcome(of id: String, at position: LogPosition) async throws -> MessageOutcome? {
        if let kept = try await engine.commands.outcome(of: id, at: position) { return MessageOutcome(of: kept) }
        let letter = try await engine.commands.deadLetters.find(position)
        return letter?.command.id.utf8.elementsEqual(id.utf8) == true ? .deadLetter : nil
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
