public import Duet
public import DuetContext
public import DuetHTTP
public import Hummingbird

extension Router {
    /// Answers requests for the messages of an API with one dispatcher.
    ///
    /// Routes that were added before win over the API; what is added as middleware before sees its requests.
    ///
    /// - Parameters:
    ///   - dispatcher: Takes the messages to their handlers.
    ///   - api: The messages.
    ///   - base: The path that stands before those of the messages: `/api`.
    ///   - authenticator: Tells who a bearer token belongs to; nil when all messages are open.
    ///   - options: What else holds for all messages.
    /// - Throws: ``InvalidMount`` when a command does not say who may have it handled, nor a query where there is an
    ///   authenticator; when a rule asks for a principal and there is none; when a message is a ``DuetHTTP/ForeignQuery``; when
    ///   the dispatcher knows its handlers and lacks one; when an option or the base cannot be.
    @discardableResult
    public func mount(
        _ dispatcher: any CommandQueryDispatcher,
        _ api: HTTPAPI,
        at base: String = "/",
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions()
    ) throws(InvalidMount) -> Self {
        let handlers = dispatcher as? any HandlerListing
        add(middleware: try MountedAPI(api, base, authenticator, options, handlers) { _, _ in dispatcher })
        return self
    }

    /// Answers requests for the messages of an API, each with a dispatcher of its own: one with a scope for the
    /// request, say.
    ///
    /// Routes that were added before win over the API; what is added as middleware before sees its requests.
    ///
    /// - Parameters:
    ///   - api: The messages.
    ///   - base: The path that stands before those of the messages: `/api`.
    ///   - authenticator: Tells who a bearer token belongs to; nil when all messages are open.
    ///   - options: What else holds for all messages.
    ///   - dispatcher: Makes the dispatcher of a request; what it throws is logged, and the client is told no more
    ///     than that.
    /// - Throws: ``InvalidMount`` when a command does not say who may have it handled, nor a query where there is an
    ///   authenticator; when a rule asks for a principal and there is none; when a message is a ``DuetHTTP/ForeignQuery``; when
    ///   an option or the base cannot be.
    @discardableResult
    public func mount(
        _ api: HTTPAPI,
        at base: String = "/",
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions(),
        dispatcher: @escaping @Sendable @concurrent (Request, Context) async throws -> any CommandQueryDispatcher
    ) throws(InvalidMount) -> Self {
        add(middleware: try MountedAPI(api, base, authenticator, options, nil, dispatcher))
        return self
    }
}
