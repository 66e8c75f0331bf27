public import Duet
public import DuetContext
public import DuetHTTP
import Foundation
public import Hummingbird

extension Router {
    /// Serves the messages of an API with one dispatcher.
    ///
    /// ```swift
    /// let api = try HTTPAPI {
    ///     ListNotes.self
    ///     AddNote.self
    /// }
    /// let router = Router()
    /// try router.mount(dispatcher, api)
    /// ```
    ///
    /// Routes that were added before take precedence over the API, and middleware that was added before sees its
    /// requests.
    ///
    /// - Parameters:
    ///   - dispatcher: Dispatches the messages to their handlers.
    ///   - api: The messages.
    ///   - base: The path in front of the paths of the messages, for example `/api`.
    ///   - authenticator: Finds the principal of a bearer token; nil if all messages are open.
    ///   - options: Options for all messages.
    /// - Throws: ``InvalidMount`` in these cases:
    ///   - A command has no authorization rule, or a query has none and there is an authenticator.
    ///   - A rule needs a principal and there is no authenticator.
    ///   - A message is a ``/DuetHTTP/ThirdPartyQuery``.
    ///   - The dispatcher lists its handlers, and one is missing.
    ///   - A query is live, and the dispatcher does not report its changes.
    ///   - An option or the base is not valid.
    @discardableResult
    public func mount(
        _ dispatcher: any Dispatcher,
        _ api: HTTPAPI,
        at base: String = "/",
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions()
    ) throws(InvalidMount) -> Self {
        add(middleware: try MountedAPI(api, base, authenticator, options, dispatcher) { _, _ in dispatcher })
        return self
    }

    /// Serves the messages of a list with one dispatcher.
    ///
    /// ```swift
    /// let router = Router()
    /// try router.mount(notes, dispatcher, statuses: [status], authenticator: tokens)
    /// return router
    /// ```
    ///
    /// A message is validated, and authorized by the rule of the list for the principal of its request.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - dispatcher: Dispatches the messages to their handlers.
    ///   - base: The path in front of the paths of the messages, for example `/api`.
    ///   - settings: The settings that the messages share.
    ///   - statuses: Statuses that only the server can decide.
    ///   - authenticator: Finds the principal of a bearer token; nil if all messages are open.
    ///   - options: Options for all messages.
    /// - Throws: ``/DuetHTTP/InvalidHTTPAPI`` and ``InvalidMount`` with every fault, as for the other functions.
    @discardableResult
    public func mount(
        _ messages: MessageAPI,
        _ dispatcher: any Dispatcher,
        at base: String = "/",
        settings: HTTPSettings = HTTPSettings(),
        statuses: [SuccessStatus] = [],
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions()
    ) throws -> Self {
        let api = try HTTPAPI(messages, settings, statuses: statuses)
        return try mount(dispatcher, api, at: base, authenticator: authenticator, options: options)
    }

    /// Serves the messages of an API with a dispatcher for each request, for example one with a scope for the request.
    ///
    /// ```swift
    /// try router.mount(api, at: "/logged") { request, context in
    ///     dispatcher.with(.logging(to: context.logger))
    /// }
    /// ```
    ///
    /// Routes that were added before take precedence over the API, and middleware that was added before sees its
    /// requests.
    ///
    /// - Parameters:
    ///   - api: The messages.
    ///   - base: The path in front of the paths of the messages, for example `/api`.
    ///   - authenticator: Finds the principal of a bearer token; nil if all messages are open.
    ///   - options: Options for all messages.
    ///   - dispatcher: Returns the dispatcher of a request. If it throws, the error is logged and the response is 500.
    /// - Throws: ``InvalidMount`` in these cases:
    ///   - A command has no authorization rule, or a query has none and there is an authenticator.
    ///   - A rule needs a principal and there is no authenticator.
    ///   - A message is a ``/DuetHTTP/ThirdPartyQuery``.
    ///   - An option or the base is not valid.
    @discardableResult
    public func mount(
        _ api: HTTPAPI,
        at base: String = "/",
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions(),
        dispatcher: @escaping @Sendable @concurrent (Request, Context) async throws -> any Dispatcher
    ) throws(InvalidMount) -> Self {
        add(middleware: try MountedAPI(api, base, authenticator, options, nil, dispatcher))
        return self
    }
}

/// The reasons why an API cannot be mounted.
public struct InvalidMount: Error, Hashable, Sendable {
    /// One text for each fault, which says what is wrong and what to do about it.
    public let faults: [String]
}

extension InvalidMount: DescribedError {
    /// The faults, one on each line.
    public var description: String { faults.joined(separator: "\n") }
}
