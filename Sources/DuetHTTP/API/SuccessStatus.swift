public import Duet
public import HTTPTypes

/// The status of the response to a successful command that only the server can decide.
///
/// ```swift
/// SuccessStatus(of: PublishImage.self) { command, dispatcher in
///     try await dispatcher.dispatch(FindImage(id: command.id)) == nil ? .created : .ok
/// }
/// ```
public struct SuccessStatus: Sendable {
    let message: any HTTPCommand.Type
    /// The closure of the initializer.
    let status: any Sendable

    typealias Closure<C: HTTPCommand> =
        @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws -> HTTPResponse.Status

    /// Computes the status before the command is handled.
    public init<C: HTTPCommand>(
        of command: C.Type,
        _ status: @escaping @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws ->
            HTTPResponse.Status
    ) {
        message = command
        self.status = status as Closure<C>
    }
}
