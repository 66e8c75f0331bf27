import Duet

/// What takes the commands of one type out of the process, as an object, so that a look-up hands out one reference.
final class CommandCarrier<C: Command>: Sendable {
    private let exchange: Result<any CommandExchange<C>, any Error>

    /// - Parameter exchange: How commands are sent, or why they cannot be.
    init(_ exchange: Result<any CommandExchange<C>, any Error>) {
        self.exchange = exchange
    }

    func send(_ command: C) async throws {
        try await exchange.get().send(command)
    }
}

/// Has commands done.
///
/// The carrier goes through it because its command is not known there to be an ``HTTPCommand``.
protocol CommandExchange<Message>: Sendable {
    associatedtype Message: Command

    func send(_ command: Message) async throws
}
