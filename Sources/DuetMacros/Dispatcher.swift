/// Makes a struct of handlers a dispatcher that the compiler checks.
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
/// Each stored property is a handler, and each gets a `dispatch` of its own for its message. So a message that nobody
/// handles does not compile, nor do two handlers for one message, and a call costs what a call of the handler costs.
///
/// Where the message is not known until run time, the property `dispatcher` hands the same handlers on as
/// `any CommandQueryDispatcher`. The struct is none itself, or every message would compile.
///
/// A handler's type is its own, a generic parameter of the struct, or `any QueryHandler<Message> & Sendable` and
/// `any CommandHandler<Message> & Sendable`. It is `Sendable`, and as public as the struct.
@attached(member, names: named(dispatch), named(dispatcher))
public macro Dispatcher() = #externalMacro(module: "DuetMacrosPlugin", type: "DispatcherMacro")
