public import Duet
public import HTTPTypes

/// How one message looks as an HTTP request in an API.
public struct HTTPEndpoint: Sendable {
    /// The stable name of the message.
    public let messageName: String

    /// The method it is sent with.
    public let method: HTTPRequest.Method

    /// Its path, relative to the base URL, with names in braces.
    public let path: String

    /// Puts the endpoint to work in an API with these settings; collects what is wrong with the declaration.
    package let serve: @Sendable (HTTPSettings) -> ServedEndpoint

    /// The endpoint of a command.
    ///
    /// - Parameters:
    ///   - command: The type of the command.
    ///   - authorise: Who may have it handled in this API; nil for what the command says.
    ///   - successStatus: Which status a server answers with, asked before the command is handled; nil for the command's own.
    public init<C: HTTPCommand>(
        _ command: C.Type,
        authorise: AuthoriseRule<C>? = nil,
        successStatus: (
            @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws -> HTTPResponse.Status
        )? = nil
    ) {
        messageName = C.messageName
        method = C.method.request
        path = C.path
        serve = { _ in preconditionFailure("Written soon") }
    }

    /// The endpoint of a query.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - authorise: Who may have it handled in this API; nil for what the query says.
    public init<Q: HTTPQuery>(_ query: Q.Type, authorise: AuthoriseRule<Q>? = nil) {
        messageName = Q.messageName
        method = .get
        path = Q.path
        serve = { _ in preconditionFailure("Written soon") }
    }
}
