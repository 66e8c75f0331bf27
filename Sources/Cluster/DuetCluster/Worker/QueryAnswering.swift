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
        let longest = options.attemptTimeout.milliseconds
        let limit = min(max(0, request.headers[Header.deadline].flatMap(Int64.init) ?? longest), longest)
        let deadline = Deadline(in: .milliseconds(limit), clock: clock)
        let ended = await handlers.run {
            let events = await events(for: request, within: .milliseconds(limit / 4))
            var envelope = await outcome(of: request, within: limit, until: deadline).envelope
            envelope.events = events
            return envelope
        }
        return ended.value ?? MessageOutcome.failure(reason: "its node has shut down").envelope
    }

    /// The position of the events that this node has carried out before it handles a query, which may wait for some.
    private func events(for request: Envelope, within limit: Duration) async -> UInt64 {
        await positions.events(reaching: request.events ?? 0, within: min(Self.longestWait, limit), clock)
    }

    private func outcome(of request: Envelope, within limit: Int64, until deadline: Deadline) async -> MessageOutcome {
        let received = ReceivedErrors()
        do {
            try request.checkReadable(of: message.name)
            var context = try request.context(of: message.name)
            context.service?.deadline = deadline.enforced
            // A quarter of the time remains for the answer.
            if let text = request.headers[Header.token],
                !(try await hasReached(text, within: deadline.remaining * 3 / 4))
            {
                return .behind
            }
            let answer = try message.read(request.body)
            let late = ClusterError.failed(message: message.name, reason: "its handler did not end in \(limit) ms")
            return .value(
                try await withTimeout(max(.zero, deadline.remaining), clock: clock, error: late) {
                    [context, dispatcher] in
                    try await ReceivedErrors.$current.withValue(received) {
                        try await context.run { try await answer(dispatcher) }
                    }
                }
            )
        } catch {
            return MessageOutcome(error, declared: message.declaredErrors + options.declaredErrors, received: received)
        }
    }

    private func hasReached(_ token: String, within limit: Duration) async throws -> Bool {
        guard let token = WriteToken(text: token) else {
            throw ClusterError.unreadable(message: message.name, reason: "its write token is not one")
        }
        return try await positions.wait(for: token, of: message.name, within: limit, clock)
    }
}
