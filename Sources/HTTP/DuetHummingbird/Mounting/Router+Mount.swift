public import Duet
public import DuetContext
public import DuetHTTP
public import Hummingbird

extension Router {
    /// Serves the messages of a list with one dispatcher.
    ///
    /// ```swift
    /// let router = Router()
    /// try router.mount(notes, dispatcher, authenticator: tokens, options: MountOptions(statuses: [status]))
    /// return router
    /// ```
    ///
    /// A message is validated, and authorized by the rule of the list for the principal of its request. Routes that
    /// were added before take precedence, and middleware that was added before sees the requests.
    ///
    /// The parameters are those of
    /// ``/DuetHTTP/HTTPService/init(_:_:at:authenticator:options:log:)``.
    ///
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault that the initializer of `HTTPService` finds, too.
    @discardableResult
    public func mount(
        _ messages: MessageAPI,
        _ dispatcher: any Dispatcher,
        at base: String = "/",
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions()
    ) throws(InvalidMessageAPI) -> Self {
        let api = try ServedAPI(
            messages,
            at: base,
            authenticator: authenticator,
            options: options,
            checking: dispatcher
        )
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
    /// Handlers and changes of live queries are not checked here, because there is no dispatcher yet. If `dispatcher`
    /// throws, the error is logged and the response is 500.
    ///
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every other fault.
    @discardableResult
    public func mount(
        _ messages: MessageAPI,
        at base: String = "/",
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions(),
        dispatcher: @escaping @Sendable @concurrent (Request, Context) async throws -> any Dispatcher
    ) throws(InvalidMessageAPI) -> Self {
        let api = try ServedAPI(
            messages,
            at: base,
            authenticator: authenticator,
            options: options,
            checking: nil
        )
        return add(middleware: MountedAPI(api: api, dispatcher: dispatcher))
    }
}
