/// Registrations that belong together, such as those of a feature, a server, or a client.
///
/// ```swift
/// struct StoreModule: ContainerModule {
///     func register(in builder: ContainerBuilder) {
///         builder.singleton((any NoteStore).self) { InMemoryNoteStore() }
///         builder.singleton((any NoteStore).self, named: .archive) { InMemoryNoteStore(["Old"]) }
///     }
/// }
/// ```
///
/// A module may depend on types that another module registers; building the container checks them. A test installs the
/// module alone and registers stand-ins for those types.
public protocol ContainerModule {
    /// Adds the registrations of this module, and may install other modules.
    func register(in builder: ContainerBuilder)
}
