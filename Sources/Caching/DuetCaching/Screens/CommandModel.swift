public import Duet
public import Observation

/// A model for a screen that runs one type of command, with the last error.
///
/// ```swift
/// let adding = CommandModel<AddNote>(in: dispatcher)
/// await adding.run(AddNote(text: "Eggs"))
/// ```
@MainActor @Observable
public final class CommandModel<C: Command> {
    /// Whether a command is running.
    public var isRunning: Bool { running > 0 }

    /// The error of the last command, or nil after a successful one and while one is running.
    public private(set) var error: (any Error)?

    private var running = 0
    private let dispatcher: any CommandDispatcher

    /// Creates a model.
    public init(_ command: C.Type = C.self, in dispatcher: any CommandDispatcher) {
        self.dispatcher = dispatcher
    }

    /// Dispatches a command, and returns when it has succeeded or failed.
    ///
    /// ``error`` is the reason of a failure.
    public func run(_ command: C) async {
        running += 1
        error = nil
        defer { running -= 1 }
        do {
            try await dispatcher.dispatch(command)
        } catch {
            if !(error is CancellationError) { self.error = error }
        }
    }
}
