@_exported public import Duet
@_exported public import DuetDependencies

/// Conforms a type to ``/DuetDependencies/Resolvable``, so that a scope can create it and `build()` checks its
/// dependencies.
///
/// ```swift
/// @Resolvable
/// struct ListNotesHandler: QueryHandler {
///     let store: any NoteStore
///     let formatter: NoteFormatter?
///     var limit = 100
///
///     func handle(_ query: ListNotes) async throws -> [String] {
///         let notes = try await store.notes().prefix(limit)
///         return notes.map { formatter?.format($0) ?? $0 }
///     }
/// }
/// ```
///
/// The macro applies to structs, classes, and actors. It writes two members: `init(from:)`, which resolves each
/// dependency, and `dependencies`, the list of them.
///
/// In a type with an initializer, the macro resolves the initializer's parameters and calls it. If there are several,
/// ``Inject()`` marks the one to use. Parameters with a default value keep it.
///
/// In a type without an initializer, the macro resolves the stored properties. Properties with a default value keep it;
/// static, computed, `lazy` and `weak var` properties are ignored. ``Named(_:)`` sets the name under which a property
/// is resolved.
///
/// An optional is nil if nothing is registered for its type. An array contains every registration of its element's
/// type.
///
/// See <doc:DuetMacros> for isolation, classes and public types.
@attached(
    member,
    conformances: Resolvable,
    names: named(init(from:)),
    named(dependencies),
    named(_resolvesSubclass(of:))
)
@attached(extension, conformances: Resolvable, names: named(init(from:)), named(dependencies))
public macro Resolvable() = #externalMacro(module: "DuetMacrosPlugin", type: "ResolvableMacro")

/// Marks the initializer that ``Resolvable()`` uses, in a type with several.
///
/// ```swift
/// @Resolvable
/// final class NoteCounter: Sendable {
///     let store: any NoteStore
///
///     @Inject
///     init(store: any NoteStore) {
///         self.store = store
///     }
///
///     init(counting notes: [String]) {
///         store = InMemoryNoteStore(notes)
///     }
/// }
/// ```
@attached(peer)
public macro Inject() = #externalMacro(module: "DuetMacrosPlugin", type: "InjectMacro")

/// Sets the name under which ``Resolvable()`` resolves a stored property.
///
/// ```swift
/// @Resolvable
/// struct Report {
///     @Named(.archive) let archive: any NoteStore
///     @Named("imported") let imported: (any NoteStore)?
///     let all: [any NoteStore]
///
///     func text() async throws -> String { "\(try await archive.notes().count) of \(all.count) stores" }
/// }
/// ```
///
/// The name applies to every property of the declaration. Parameters of an initializer cannot have a name. In a module
/// whose default isolation is the main actor, declare a name constant as `nonisolated static let`.
///
/// - Parameter name: The name of the registration, as a literal or a constant.
@attached(peer)
public macro Named(_ name: DependencyName) = #externalMacro(module: "DuetMacrosPlugin", type: "NamedMacro")

extension Resolvable {
    /// Allows the code that `@Resolvable` writes for a subclass to call `super.init(from:)`.
    ///
    /// A class with its own initializer declares this method itself, as unavailable, with a message that says what to
    /// do. Do not call it directly.
    @inlinable
    public static func _resolvesSubclass(of type: Self.Type) {}
}
