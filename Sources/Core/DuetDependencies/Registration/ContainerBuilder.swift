import Duet

/// Collects the registrations of a container, checks them, and builds the container.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.singleton { Notebook() }
/// builder.transient { (notebook: Notebook) in AddNoteHandler(notebook: notebook) }
/// builder.transient { (notebook: Notebook) in ListNotesHandler(notebook: notebook) }
/// builder.handlers {
///     AddNoteHandler.self
///     ListNotesHandler.self
/// }
/// builder.middleware(ValidationMiddleware(), TimeoutMiddleware(.seconds(2)))
/// let container = try builder.build()
/// ```
///
/// A type, or a type with a name, can be registered once. The parameters of a factory are resolved when it is called,
/// and ``build()`` checks in advance that each can be. A factory that takes the ``Scope`` instead may resolve anything,
/// so its dependencies are unknown until it runs.
public final class ContainerBuilder {
    private final class Storage {
        var draft = Draft()
    }

    private let storage: Storage
    private let replaces: Bool

    /// Creates an empty builder.
    public init() {
        storage = Storage()
        replaces = false
    }

    private init(replacing storage: Storage) {
        self.storage = storage
        replaces = true
    }

    /// This builder, for registrations that replace others.
    ///
    /// ```swift
    /// fake.install(StoreModule())
    /// fake.replacing.singleton((any NoteStore).self) { InMemoryNoteStore(["Fake"]) }
    /// ```
    ///
    /// Replacing a type that is not registered is an error, and so is registering a type again without `replacing`. Of
    /// several replacements, the last one applies. A handler that is listed here replaces the handler of its message;
    /// middleware that is listed here is added.
    public var replacing: ContainerBuilder { ContainerBuilder(replacing: storage) }

    /// Adds the registrations of a module.
    ///
    /// - Parameter module: The module, installed once in a container.
    public func install(_ module: some ContainerModule) {
        module.register(in: self)
    }

    /// Checks all registrations and builds the container.
    ///
    /// Values are created when they are first resolved.
    ///
    /// - Throws: ``InvalidContainer`` with every problem.
    public func build() throws -> Container {
        Container(of: ContainerCore(try Blueprint(storage.draft)))
    }

    func add(_ registration: Registration) {
        if replaces {
            storage.draft.replacements.append(registration)
        } else {
            storage.draft.registrations.append(registration)
        }
    }

    func add(
        _ handlers: [any Handler.Type],
        to list: WritableKeyPath<Draft, [HandlerDraft]> = \.handlers,
        _ location: SourceLocation
    ) {
        storage.draft[keyPath: replaces ? \.replacedHandlers : list] += handlers.map { HandlerDraft($0, location) }
        if !replaces { storage.draft.dispatcher = storage.draft.dispatcher ?? location }
    }

    func add(_ middleware: [MiddlewareDraft], _ location: SourceLocation) {
        storage.draft.middleware += middleware
        // Without the container's dispatcher, nothing would be wrapped. Another dispatcher is then a duplicate.
        if !replaces { storage.draft.dispatcher = storage.draft.dispatcher ?? location }
    }

    func add(_ maker: FactoryMaker<some Middleware>, _ location: SourceLocation) {
        add([MiddlewareDraft(maker, index: storage.draft.middleware.count, location)], location)
    }
}

/// The registrations, handlers, and middleware that a builder has collected.
struct Draft {
    var registrations: [Registration] = []
    var replacements: [Registration] = []
    var handlers: [HandlerDraft] = []
    var replacedHandlers: [HandlerDraft] = []
    /// The handlers of messages that have no other one.
    var fallbacks: [HandlerDraft] = []
    var middleware: [MiddlewareDraft] = []
    /// The location of the first call that registered the standard dispatcher.
    var dispatcher: SourceLocation?
}
