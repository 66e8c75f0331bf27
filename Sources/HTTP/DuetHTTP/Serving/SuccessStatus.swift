public import Duet
public import HTTPTypes

/// The status of the response to a successful command that only the server can decide.
///
/// ```swift
/// let status = SuccessStatus(of: AddNote.self) { note, dispatcher in
///     try await dispatcher.dispatch(ListNotes()).contains(note.text) ? .noContent : .created
/// }
/// ```
public struct SuccessStatus: Sendable {
    let message: any HTTPCommand.Type
    /// The closure of the initializer.
    let status: any Sendable

    /// Returns the status of a command.
    public typealias Closure<C: HTTPCommand> =
        @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws -> HTTPResponse.Status

    /// Computes the status before the command is handled.
    public init<C: HTTPCommand>(of command: C.Type, _ status: @escaping Closure<C>) {
        message = command
        self.status = status
    }
}
