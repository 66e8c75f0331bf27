/// Turns a struct of handlers into a dispatcher that the compiler checks.
///
/// ```swift
/// @Dispatcher
/// struct NotesDispatcher {
///     let addNote: AddNoteHandler
///     let listNotes: any QueryHandler<ListNotes> & Sendable
/// }
///
/// let store = InMemoryNoteStore()
/// let app = NotesDispatcher(
///     addNote: AddNoteHandler(transaction: Transaction(store: store), user: User(name: "Ada")),
///     listNotes: ListNotesHandler(store: store, formatter: nil)
/// )
/// try await app.dispatch(AddNote(text: "Milk"))
/// let listed = try await app.dispatch(ListNotes())
/// ```
///
/// Each stored property is a handler, and the macro writes a `dispatch` method for its message. A message without a
/// handler does not compile, and neither do two handlers for one message. A dispatch costs as much as a direct call of
/// the handler.
///
/// Where the message is not known until run time, the property `dispatcher` provides the same handlers as `any
/// Dispatcher`. The struct itself does not conform to that protocol; otherwise, every message would compile.
///
/// The type of a property is the handler's own type, a generic parameter of the struct, `any QueryHandler<Message> &
/// Sendable`, or `any CommandHandler<Message> & Sendable`. Write the protocols out; the macro cannot see through a type
/// alias.
///
/// ## Public dispatchers
///
/// The methods of a public dispatcher are public, so their messages and handlers must be public, too.
/// Declare three things for each handler:
///
/// - the handler and its `handle(_:)` as `public`
/// - its message, and the value of a query, as `public`
/// - its conformance to `Sendable`, which the compiler does not infer for public types
///
/// A property of type `any QueryHandler<Message> & Sendable` needs only a public message; its handler may be internal.
/// In a module where imports are internal by default, a public dispatcher also needs `public import DuetMacros`.
///
/// ## Compiler errors
///
/// The macro sees the struct, but not the declarations of its handlers. The compiler reports these mistakes instead,
/// often in the expansion of the macro:
///
/// - `'dispatch' is unavailable: AppDispatcher has no handler for this message. Add a property with one.`: No property
///   handles the message. In generic code, dispatch the message through `dispatcher`.
/// - `invalid redeclaration of 'dispatch'`: Two properties handle the same message. Remove one of them. The error
///   `thrown expression type 'any Error' cannot be converted to error type 'Never'` has the same cause.
/// - `type 'Int' does not conform to protocol 'Handler'`: A stored property is not a handler. Move it to the handler
///   that uses it.
/// - `method cannot be declared public because its parameter uses an internal type`: A handler or its message is less
///   visible than the dispatcher.
/// - `type 'LoadFeedHandler' does not conform to the 'Sendable' protocol`: A dispatcher stores handlers that are
///   `Sendable`.
@attached(member, names: named(dispatch), named(dispatcher))
public macro Dispatcher() = #externalMacro(module: "DuetMacrosPlugin", type: "DispatcherMacro")

/// The message of a handler, used by the methods that ``Dispatcher()`` writes.
///
/// The constraint lets the compiler report a stored property that is not a handler.
public typealias HandledMessage<H: Handler> = H.Message
