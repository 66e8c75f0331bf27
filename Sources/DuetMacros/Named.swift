/// Gives the name under which ``Resolvable()`` resolves a stored property.
///
/// ```swift
/// @Resolvable
/// struct ReportHandler: QueryHandler {
///     @Named("primary") let database: any Database
///     @Named(.replica) let replica: any Database
///
///     func handle(_ query: Report) async throws -> [String] {
///         try await replica.rows(of: query)
///     }
/// }
/// ```
///
/// It holds for every property on its line. In a module whose default isolation is the main actor, a constant is
/// `nonisolated static let`.
///
/// - Parameter name: The name that the registration was given, as a literal or a constant.
@attached(peer)
public macro Named(_ name: DependencyName) = #externalMacro(module: "DuetMacrosPlugin", type: "NamedMacro")
