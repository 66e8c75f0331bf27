/// A command's handler as an object, so that a look-up hands out one reference and copies no handler.
final class CommandBox<C: Command>: Sendable {
    private let handler: any CommandHandler<C> & Sendable

    init(_ handler: any CommandHandler<C> & Sendable) {
        self.handler = handler
    }

    @inline(__always)
    func handle(_ command: C) async throws {
        try await handler.handle(command)
    }
}
