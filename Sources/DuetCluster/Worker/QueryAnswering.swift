import Duet
import DuetContext
import ServiceContextModule

/// Answers the queries of one type.
struct QueryAnswering: Sendable {
    /// A day in milliseconds, so that no calculation with a number from elsewhere overflows.
    private static let longest: Int64 = 86_400_000

    private let message: ClusterMessage
    private let dispatcher: any Dispatcher
    private let positions: Positions
    private let options: ClusterOptions
    private let clock: any Clock<Duration>

    init(
        _ message: ClusterMessage,
        _ dispatcher: any Dispatcher,
        _ positions: Positions,
        _ options: ClusterOptions,
        clock: any Clock<Duration>
    ) {
        self.message = message
        self.dispatcher = dispatcher
        self.positions = positions
        self.options = options
        self.clock = clock
    }

    @concurrent
    func answer(_ request: Envelope) async -> Envelope {
        await outcome(of: request).envelope
    }

    private func outcome(of request: Envelope) async -> Outcome {
        do {
            try request.checkVersion(of: message.name)
            var context = try request.context(of: message.name)
            let asked = request.headers[Header.deadline].flatMap(Int64.init) ?? options.attemptTimeout.milliseconds
            let limit = min(max(0, asked), Self.longest)
            context.deadline = Deadline(in: .milliseconds(limit), clock: clock)
            // A quarter of the time remains for the answer.
            if let text = request.headers[Header.token],
                !(try await hasReached(text, within: .milliseconds(limit * 3 / 4)))
            {
                return .behind
            }
            let answer = try message.route.read(request.body)
            return .value(try await ServiceContext.withValue(context) { try await answer(dispatcher) })
        } catch {
            return Outcome(error, declared: message.route.declaredErrors + options.declaredErrors)
        }
    }

    private func hasReached(_ token: String, within limit: Duration) async throws -> Bool {
        guard let token = WriteToken(text: token) else {
            throw ClusterError.unreadable(message: message.name, reason: "its write token is not one")
        }
        try positions.check(token.all, of: message.name)
        return try await positions.wait(for: token.all, within: limit, clock)
    }
}
