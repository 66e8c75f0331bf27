/// Turns a struct of handlers into a dispatcher that the compiler checks.
///
/// ```swift
/// @Dispatcher
/// struct AppDispatcher {
///     let loadFeed: LoadFeedHandler
///     let postComment: any CommandHandler<PostComment> & Sendable
/// }
///
/// let app = AppDispatcher(loadFeed: LoadFeedHandler(), postComment: PostCommentHandler())
/// let feed = try await app.dispatch(LoadFeed())
/// ```
///
/// Each stored property is a handler, and the macro writes a `dispatch` method for its message. A message without a
/// handler does not compile, and neither do two handlers for one message. A dispatch costs as much as a direct call of
/// the handler.
///
/// Where the message is not known until run time, the property `dispatcher` provides the same handlers as `any
/// CommandQueryDispatcher`. The struct itself does not conform to that protocol; otherwise, every message would
/// compile.
///
/// The type of a property is the handler's own type, a generic parameter of the struct, `any QueryHandler<Message> &
/// Sendable`, or `any CommandHandler<Message> & Sendable`. It is `Sendable`, and as public as the struct.
@attached(member, names: named(dispatch), named(dispatcher))
public macro Dispatcher() = #externalMacro(module: "DuetMacrosPlugin", type: "DispatcherMacro")
