public import Duet
public import DuetDependencies

/// Adds the number of a query and the number of a dependency, as a struct.
public struct SummandHandler: QueryHandler, Resolvable {
    private let summand: any Summand

    /// The summand.
    public static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Summand).self)] }

    /// Creates a handler with the scope's summand.
    @inline(__always)
    public init(from scope: Scope) async throws {
        summand = try await scope.resolve()
    }

    /// The sum of the query's number and the summand.
    @inline(never)
    public func handle(_ query: AddTo) async throws -> Int { query.number &+ summand.number }
}

/// The same as ``SummandHandler``, as a class.
public final class SummandObjectHandler: QueryHandler, Resolvable {
    private let summand: any Summand

    /// The summand.
    public static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Summand).self)] }

    /// Creates a handler with the scope's summand.
    @inline(__always)
    public init(from scope: Scope) async throws {
        summand = try await scope.resolve()
    }

    /// The sum of the query's number and the summand.
    @inline(never)
    public func handle(_ query: AddTo) async throws -> Int { query.number &+ summand.number }
}
