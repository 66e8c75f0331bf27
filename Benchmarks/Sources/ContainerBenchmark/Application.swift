import Duet
import DuetDependencies

/// The registrations of a large application: 500 services by type, 400 plugins by name, and 100 handlers.
struct Application: ContainerModule {
    /// The number of registrations, without the dispatcher and its halves.
    static let count = 1_000

    func register(in builder: ContainerBuilder) {
        for layer in digits[..<5] {
            for tens in digits {
                for units in digits { register(layer, tens, units, in: builder) }
            }
        }
        for tens in digits {
            for units in digits { register(tens, units, in: builder) }
        }
    }

    private func register<Layer: Digit, Tens: Digit, Units: Digit>(
        _ layer: Layer.Type,
        _ tens: Tens.Type,
        _ units: Units.Type,
        in builder: ContainerBuilder
    ) {
        typealias Place = Service<Layer, Tens, Units>
        switch (Tens.value + Units.value) % 3 {
        case 0: builder.transient(Place.self)
        // Not in a lower layer, where a singleton would keep it beyond its scope.
        case 1 where Layer.value == 4: builder.scoped(Place.self)
        default: builder.singleton(Place.self)
        }
        guard Layer.value < 4 else { return }
        builder.singleton((any Plugin).self, named: Place.plugin) { (_: Place) in ServicePlugin() }
    }

    private func register<Tens: Digit, Units: Digit>(
        _ tens: Tens.Type,
        _ units: Units.Type,
        in builder: ContainerBuilder
    ) {
        builder.handlers { GetServiceHandler<Tens, Units>.self }
    }
}
