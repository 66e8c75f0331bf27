import Duet

/// Collects what a container shall be able to make.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.singleton((any Api).self) { LiveApi() }
/// builder.scoped { (api: any Api) in UnitOfWork(api: api) }
/// builder.transient(Analytics.self)
/// let container = try builder.build()
/// ```
///
/// A type, or a type and a name, can be registered once. The parameters of a factory are resolved when it is called, and
/// they are known before: ``build()`` checks that each can be. A factory that takes the ``Scope`` instead may ask for
/// anything, and nobody knows what before it runs.
public final class ContainerBuilder {
    private final class Storage {
        var draft = Draft()
    }

    private let storage: Storage
    private let replaces: Bool

    /// Makes a builder that knows of nothing.
    public init() {
        storage = Storage()
        replaces = false
    }

    private init(replacing storage: Storage) {
        self.storage = storage
        replaces = true
    }

    /// This builder for registrations that take the place of others.
    ///
    /// ```swift
    /// builder.install(FeedModule())
    /// builder.replacing.singleton((any Api).self) { FakeApi() }
    /// ```
    ///
    /// Replacing what is not registered is an error, as is registering again without it. Of several replacements the last
    /// one holds. A handler that is listed here takes the place of the one that was listed for its message; middleware that
    /// is listed here is added.
    public var replacing: ContainerBuilder { ContainerBuilder(replacing: storage) }

    /// Adds the registrations of a module.
    public func install(_ module: some ContainerModule) {
        module.register(in: self)
    }

    /// Where the dispatcher is registered, with the handlers that it takes messages to.
    public func commandQueryDispatch() -> CommandQueryDispatchBuilder {
        CommandQueryDispatchBuilder(builder: self)
    }

    /// Checks everything that was registered and makes the container.
    ///
    /// Nothing is made of what was registered before it is asked for.
    ///
    /// - Throws: ``InvalidContainer`` with everything that is wrong.
    public func build() throws -> Container {
        Container(ContainerCore(try Blueprint(storage.draft)))
    }

    func add(_ registration: Registration) {
        if replaces {
            storage.draft.replacements.append(registration)
        } else {
            storage.draft.registrations.append(registration)
        }
    }

    func add(_ handlers: [HandlerDraft], _ middleware: [any Middleware], _ location: SourceLocation) {
        if replaces {
            storage.draft.replacedHandlers += handlers
        } else {
            storage.draft.handlers += handlers
            storage.draft.dispatcher = storage.draft.dispatcher ?? location
        }
        storage.draft.middleware += middleware
    }
}
