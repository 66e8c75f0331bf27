import Duet
import DuetTesting
import Foundation

/// Handlers that end only when they are canceled, or not even then.
final class StuckHandlers: Sendable {
    private let state = Monitor((begun: 0, isReleased: false))
    private let gate = Gate()

    var begun: Int { state.read { $0.begun } }

    func dispatcher() throws -> StandardDispatcher {
        try StandardDispatcher {
            StuckCommandHandler(handlers: self)
            StuckQueryHandler(handlers: self)
        }
    }

    /// Waits until a number of handlers have begun.
    func arrivals(_ number: Int) async {
        await state.waitEvenIfCanceled { $0.begun >= number }
    }

    /// Ends all handlers, also those that begin later.
    func release() {
        state.update { $0.isReleased = true }
        gate.open()
    }

    fileprivate func handle(isStuck: Bool, ignores: Bool, declares: Bool = false) async throws {
        state.update { $0.begun += 1 }
        guard isStuck else { return }
        guard !ignores else { return await state.waitEvenIfCanceled { $0.isReleased } }
        do {
            try await gate.pass()
        } catch is CancellationError where declares {
            throw HandlerCanceled()
        }
    }
}

struct StuckCommand: Command, Codable {
    static var declaredErrors: [any DeclaredError.Type] { [HandlerCanceled.self] }

    var isStuck = true
    /// Whether the handler ignores its cancellation.
    var ignores = false
    /// Whether the handler throws a declared error when it is canceled.
    var declares = false
}

struct HandlerCanceled: DeclaredError {}

struct StuckQuery: Query, Codable {
    typealias Value = Int

    let ignores: Bool
}

private struct StuckCommandHandler: CommandHandler {
    let handlers: StuckHandlers

    func handle(_ command: StuckCommand) async throws {
        try await handlers.handle(isStuck: command.isStuck, ignores: command.ignores, declares: command.declares)
    }
}

private struct StuckQueryHandler: QueryHandler {
    let handlers: StuckHandlers

    func handle(_ query: StuckQuery) async throws -> Int {
        try await handlers.handle(isStuck: true, ignores: query.ignores)
        return 0
    }
}
