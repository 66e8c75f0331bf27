import Duet
import DuetClusterEngine
import DuetContext
import ServiceContextModule

struct QueryAnswering: Sendable {
    /// The longest time that a query waits for events, but a quarter of its time: its sender shows an older value as
    /// stale.
    private static let longestWait = Duration.seconds(1)

    let message: any AnyRoute
    let dispatcher: any Dispatcher
    let positions: Positions
    let options: ClusterOptions
    let handlers: Handlers
    let clock: any Clock<Duration>

    @concurrent
    func answer(_ request: Envelope) async -> Envelope {
        // The sender may allow less time than this node, and not more.
        var limit = options.attemptTimeout.milliseconds
        if let text = request.headers[Header.deadline] {
            guard let asked = Int64(text) else {
                let error = ClusterError.unreadable(message: message.name, reason: "its deadline is not a number")
                return MessageOutcome(.unreadable(error)).envelope
            }
            limit = min(max(0, asked), limit)
        }
        let time = Duration.milliseconds(limit)
        let deadline = Deadline(in: time, clock: clock)
        let ended = await handlers.run(within: time) {
            let events = await events(for: request, within: time / 4)
            return (outcome: await outcome(of: request, until: deadline), events: events)
        }
        var envelope = outcome(of: ended.value?.outcome, after: ended.interruption, within: limit).envelope
        envelope.events = ended.value?.events
        return envelope
    }

    /// The outcome for the sender of a handler that may have been interrupted.
    private func outcome(
        of ended: MessageOutcome?,
        after interruption: Handlers.Interruption?,
        within limit: Int64
    ) -> MessageOutcome {
        switch (ended, interruption) {
        case (.value(let value)?, _): .value(value)
        case (.behind?, _): .behind
        case (_, .timeout?): .unavailable(reason: "its handler did not end in \(limit) ms", retryAfter: nil)
        case (let outcome?, _): outcome
        case (nil, _): .unavailable(reason: "its node has shut down", retryAfter: nil)
        }
    }

    /// The position of the events that this node has carried out before it handles a query, which may wait for some.
    private func events(for request: Envelope, within limit: Duration) async -> UInt64 {
        await positions.events(reaching: request.events ?? 0, within: min(Self.longestWait, limit), clock)
    }

    private func outcome(of request: Envelope, until deadline: Deadline) async -> MessageOutcome {
        do {
            try request.checkReadable(of: message.name)
            var context = try request.context(of: message.name)
            context.service?.deadline = deadline
            // A quarter of the time remains for the answer.
            if let text = request.headers[Header.token],
                !(try await hasReached(text, within: deadline.remaining * 3 / 4))
            {
                return .behind
            }
            let errors = options.declaredErrors
            return .value(try await message.receive(request.body, in: context, dispatcher, declared: errors))
        } catch let failure as MessageFailure {
            let outcome = MessageOutcome(failure)
            guard case .fault(let error as any TemporaryError) = failure, error.isTemporary, !error.needsSignIn,
                case .failure(let reason) = outcome
            else { return outcome }
            return .unavailable(reason: reason, retryAfter: error.retryAfter)
        } catch {
            return MessageOutcome(error is ClusterError ? .unreadable(error) : .fault(error))
        }
    }

    private func hasReached(_ token: String, within limit: Duration) async throws -> Bool {
        guard let token = WriteToken(text: token) else {
            throw ClusterError.unreadable(message: message.name, reason: "its write token is not one")
        }
        return try await positions.wait(for: token, of: message.name, within: limit, clock)
    }
}
