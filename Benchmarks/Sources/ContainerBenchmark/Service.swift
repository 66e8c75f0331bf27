import DuetDependencies

/// A thing of an application, in one of ten layers: it needs two of the layer below and the plugin of one of these.
final class Service<Layer: Digit, Tens: Digit, Units: Digit>: Resolvable, Sendable {
    static var dependencies: [Dependency] {
        guard Layer.value > 0 else { return [] }
        typealias Below = Service<Layer.Previous, Tens, Units>
        return [
            Dependency(Below.self),
            Dependency(Service<Layer.Previous, Tens.Previous, Units>.self),
            Dependency((any Plugin).self, named: Below.plugin),
        ]
    }

    /// The name under which this service's plugin is registered.
    static var plugin: DependencyName { DependencyName("plugin \(Layer.value)\(Tens.value)\(Units.value)") }

    init(from scope: Scope) async throws {}
}
