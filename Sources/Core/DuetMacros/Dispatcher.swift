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
/// See <doc:DuetMacros> for public dispatchers, and <doc:MacroErrors> for the errors that the compiler reports.
@attached(member, names: named(dispatch), named(dispatcher))
public macro Dispatcher() = #externalMacro(module: "DuetMacrosPlugin", type: "DispatcherMacro")

/// The message of a handler, used by the methods that ``Dispatcher()`` writes.
///
/// The constraint lets the compiler report a stored property that is not a handler.
public typealias HandledMessage<H: Handler> = H.Message
