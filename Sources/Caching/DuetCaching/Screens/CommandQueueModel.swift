public import Foundation
public import Observation

/// A model for a screen that shows the queued commands, and lets people retry and drop them.
///
/// ```swift
/// let outbox = CommandQueueModel(queue)
/// let appearance = Task { await outbox.run() }  // In SwiftUI: .task { await outbox.run() }
/// ```
@MainActor @Observable
public final class CommandQueueModel {
    /// The unsent and the failed commands, in dispatch order.
    public private(set) var commands: [QueuedCommand]

    /// The error of the last retry or drop, or nil after a successful one.
    public private(set) var error: (any Error)?

    private let queue: CommandQueue

    /// Creates a model with the current commands.
    public init(_ queue: CommandQueue) {
        self.queue = queue
        commands = queue.commands
    }

    /// The commands that failed.
    public var failed: [QueuedCommand] { commands.filter(\.isFailed) }

    /// Observes the queue until the task is canceled.
    public func run() async {
        for await commands in queue.states { self.commands = commands }
    }

    /// Sends a command now that waits for its next attempt or has failed.
    ///
    /// ``error`` is the reason of a failure.
    public func retry(_ id: UUID) async {
        await note { try await queue.retry(id) }
    }

    /// Removes a command, as ``CommandQueue/drop(_:)`` does.
    ///
    /// ``error`` is the reason of a failure.
    public func drop(_ id: UUID) async {
        await note { try await queue.drop(id) }
    }

    private func note(_ body: () async throws -> Void) async {
        do {
            try await body()
            error = nil
        } catch {
            if !(error is CancellationError) { self.error = error }
        }
    }
}
