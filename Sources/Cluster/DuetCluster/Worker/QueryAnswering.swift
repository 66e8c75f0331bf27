import Duet
import DuetClusterEngine
import DuetContext

struct QueryAnswering {
    /// The longest time that a query waits for events, but a quarter of its time: its sender shows an older value as
    /// stale.
    private static let longestWait = Duration.seconds(1)

    let message: any AnyRoute
    let dispatcher: any Dispatcher
    let positions: Positions
    let options: ClusterOptions
    let handlers: Handlers
    let sources: UsedSources
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
        let deadline = Deadline(in: .milliseconds(limit), clock: clock)
        let ended = await handlers.run(within: .milliseconds(limit), startsHere: true) { [limit] () -> Envelope? in
            let events = await events(for: request, within: .milliseconds(limit / 4))
            let use = DataUse.ifUsed(.load(nil))
            var envelope = await DataUse.run(use) { await outcome(of: request, until: deadline)?.envelope }
            envelope?.events = events
            envelope?.headers[Header.reads] = use.flatMap { DataNames.text(ofReads: sources.record(of: $0)) }
            return envelope
        }
        if let envelope = ended.value ?? nil { return envelope }
        let reason =
            ended.interruption == .timeout ? "its handler did not end in \(limit) ms" : "its node has shut down"
        return MessageOutcome.unavailable(reason: reason, retryAfter: nil).envelope
    }

    /// The position of the events that this node has carried out before it handles a query, which may wait for some.
    private func events(for request: Envelope, within limit: Duration) async -> UInt64 {
        await positions.events(reaching: request.events ?? 0, within: min(Self.longestWait, limit), clock)
    }

    private func outcome(of request: Envelope, until deadline: Deadline) async -> MessageOutcome? {
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
            return .value(try await message.receive(request.body, in: context, dispatcher))
        } catch  where Task.isCancelled {
            // It was interrupted.
            return nil
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
