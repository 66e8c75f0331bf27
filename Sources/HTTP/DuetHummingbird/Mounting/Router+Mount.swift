public import Duet
public import DuetContext
public import DuetHTTP
import Foundation
public import Hummingbird

extension Router {
    /// Serves the messages of a list with one dispatcher.
    ///
    /// ```swift
    /// let router = Router()
    /// try router.mount(notes, dispatcher, statuses: [status], authenticator: tokens)
    /// return router
    /// ```
    ///
    /// A message is validated, and authorized by the rule of the list for the principal of its request. Routes that
    /// were added before take precedence, and middleware that was added before sees the requests.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - dispatcher: Dispatches the messages to their handlers.
    ///   - base: The path in front of the paths of the messages, for example `/api`.
    ///   - settings: The settings that the messages share.
    ///   - statuses: Statuses that only the server can decide.
    ///   - authenticator: Finds the principal of a bearer token; nil if all messages are open.
    ///   - options: Options for all messages.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault, which are those of the list and these:
    ///   - A message is a ``/DuetHTTP/ThirdPartyQuery``, or two messages have one method and path.
    ///   - A rule needs a principal and there is no authenticator, or there is one and a query has no rule.
    ///   - The dispatcher lists its handlers, and one is missing.
    ///   - A query is live, and the dispatcher does not report its changes.
    ///   - An option or the base is not valid.
    @discardableResult
    public func mount(
        _ messages: MessageAPI,
        _ dispatcher: any Dispatcher,
        at base: String = "/",
        settings: HTTPSettings = HTTPSettings(),
        statuses: [SuccessStatus] = [],
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions()
    ) throws(InvalidMessageAPI) -> Self {
        let api = try ServedAPI(messages, at: base, settings, statuses, authenticator, options, checking: dispatcher)
        return add(middleware: MountedAPI(api: api) { _, _ in dispatcher })
    }

    /// Serves the messages of a list with a dispatcher for each request, for example one with a scope for the request.
    ///
    /// ```swift
    /// try router.mount(notes, at: "/logged") { request, context in
    ///     dispatcher.logging(to: context.logger)
    /// }
    /// ```
    ///
    /// Handlers and changes of live queries are not checked here, because there is no dispatcher yet.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - base: The path in front of the paths of the messages, for example `/api`.
    ///   - settings: The settings that the messages share.
    ///   - statuses: Statuses that only the server can decide.
    ///   - authenticator: Finds the principal of a bearer token; nil if all messages are open.
    ///   - options: Options for all messages.
    ///   - dispatcher: Returns the dispatcher of a request. If it throws, the error is logged and the response is 500.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault.
    @discardableResult
    public func mount(
        _ messages: MessageAPI,
        at base: String = "/",
        settings: HTTPSettings = HTTPSettings(),
        statuses: [SuccessStatus] = [],
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions(),
        dispatcher: @escaping @Sendable @concurrent (Request, Context) async throws -> any Dispatcher
    ) throws(InvalidMessageAPI) -> Self {
        let api = try ServedAPI(messages, at: base, settings, statuses, authenticator, options, checking: nil)
        return add(middleware: MountedAPI(api: api, dispatcher: dispatcher))
    }
}
