/// A type that declares its dependencies, so that a scope can create it.
///
/// The macro `@Resolvable` of `DuetMacros` writes the conformance. Without it, write:
///
/// ```swift
/// struct CountNotesHandler: QueryHandler, Resolvable {
///     let notebook: Notebook
///
///     static var dependencies: [ResolvedDependency] { [ResolvedDependency(Notebook.self)] }
///
///     init(from scope: Scope) async throws {
///         notebook = try await scope.resolve()
///     }
///
///     func handle(_ query: CountNotes) async throws -> Int { await notebook.notes.count }
/// }
/// ```
public protocol Resolvable: SendableMetatype {
    /// The types that ``init(from:)`` resolves; ``ContainerBuilder/build()`` checks that they are registered.
    static var dependencies: [ResolvedDependency] { get }

    /// Creates the value from dependencies that it resolves in `scope`.
    ///
    /// - Throws: ``ResolutionError`` for a dependency that cannot be created, or the type's own error.
    init(from scope: Scope) async throws
}
