import Duet
import DuetDependencies

/// A message for each service of the uppermost layer.
struct GetService<Tens: Digit, Units: Digit>: Query {
    typealias Value = Int
}

/// Answers it from that service and another.
struct GetServiceHandler<Tens: Digit, Units: Digit>: QueryHandler, Resolvable {
    static var dependencies: [Dependency] {
        [Dependency(Service<D4, Tens, Units>.self), Dependency(Service<D3, Units, Tens>.self)]
    }

    init(from scope: Scope) async throws {}

    func handle(_ query: GetService<Tens, Units>) async throws -> Int { Tens.value * 10 + Units.value }
}
