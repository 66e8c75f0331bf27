/// A type that declares its dependencies, so that a scope can create it.
///
/// The macro `@Resolvable` of `DuetMacros` writes the conformance. Without it, write:
///
/// ```swift
/// struct GetInfoHandler: QueryHandler, Resolvable {
///     let api: any Api
///
///     static var dependencies: [Dependency] { [Dependency((any Api).self)] }
///
///     init(from scope: Scope) async throws {
///         api = try await scope.resolve()
///     }
/// }
/// ```
public protocol Resolvable: SendableMetatype {
    /// The types that ``init(from:)`` resolves; ``ContainerBuilder/build()`` checks that they are registered.
    static var dependencies: [Dependency] { get }

    /// Creates the value from dependencies that it resolves in `scope`.
    ///
    /// - Throws: ``ResolutionError`` for a dependency that cannot be created, or the type's own error.
    init(from scope: Scope) async throws
}
