/// A type that a scope can make, because it says what it depends on.
///
/// `@Resolvable` of `DuetMacros` writes the conformance. By hand it is:
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
    /// Everything that ``init(from:)`` resolves; ``ContainerBuilder/build()`` checks that it can be.
    static var dependencies: [Dependency] { get }

    /// Makes the value from what it resolves in `scope`.
    ///
    /// - Throws: ``ResolutionError`` for a dependency that cannot be made, or the type's own error.
    init(from scope: Scope) async throws
}
