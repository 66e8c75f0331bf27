/// A command's handler as an object, so that a look-up hands out one reference and copies no handler.
package final class CommandBox<C: Command>: Sendable {
    package let handler: any CommandHandler<C> & Sendable

    package init(_ handler: any CommandHandler<C> & Sendable) {
        self.handler = handler
    }

    @inline(__always)
    package func handle(_ command: C) async throws {
        try await handler.handle(command)
    }
}
