import DuetDependencies

/// A service in one of the layers of an application.
///
/// It depends on two services of the layer below, and on the plugin of one of them.
final class Service<Layer: Digit, Tens: Digit, Units: Digit>: Resolvable, Sendable {
    static var dependencies: [ResolvedDependency] {
        guard Layer.value > 0 else { return [] }
        typealias Below = Service<Layer.Previous, Tens, Units>
        return [
            ResolvedDependency(Below.self),
            ResolvedDependency(Service<Layer.Previous, Tens.Previous, Units>.self),
            ResolvedDependency((any Plugin).self, named: Below.plugin),
        ]
    }

    /// The name of this service's plugin.
    static var plugin: DependencyName { DependencyName("plugin \(Layer.value)\(Tens.value)\(Units.value)") }

    init(from scope: Scope) async throws {}
}
