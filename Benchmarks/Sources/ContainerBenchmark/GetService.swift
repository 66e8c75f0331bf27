import Duet
import DuetDependencies

/// A query for each service of the top layer.
struct GetService<Tens: Digit, Units: Digit>: Query {
    typealias Value = Int
}

/// Handles the query with that service and another one.
struct GetServiceHandler<Tens: Digit, Units: Digit>: QueryHandler, Resolvable {
    static var dependencies: [ResolvedDependency] {
        [ResolvedDependency(Service<D4, Tens, Units>.self), ResolvedDependency(Service<D3, Units, Tens>.self)]
    }

    init(from scope: Scope) async throws {}

    func handle(_ query: GetService<Tens, Units>) async throws -> Int { Tens.value * 10 + Units.value }
}
