import DuetDependencies
import DuetTesting

/// One of several types that are alike, to be made from each other.
protocol Part: AnyObject, Sendable {
    init(_ parts: any Sendable...)
}

final class First: Part {
    let parts: [any Sendable]

    init(_ parts: any Sendable...) {
        self.parts = parts
    }
}

final class Second: Part {
    let parts: [any Sendable]

    init(_ parts: any Sendable...) {
        self.parts = parts
    }
}

final class Third: Part {
    let parts: [any Sendable]

    init(_ parts: any Sendable...) {
        self.parts = parts
    }
}

extension ContainerBuilder {
    /// Registers a factory that needs `need`, which nobody knows before it runs.
    ///
    /// It waits until it has met the others that were given the same meeting, each in a task of its own.
    func register<P: Part, Need: Part>(
        _ lifetime: Lifetime,
        _ part: P.Type,
        needing need: Need.Type,
        _ leaks: LeakTracker,
        at meeting: Meeting? = nil
    ) {
        register(lifetime) { scope in
            // Made before the fault, so that one sees whether it is let go of.
            let lost = leaks.track(P())
            try await meeting?.arrive()
            let need = try await scope.resolve(Need.self)
            return leaks.track(P(need, lost))
        }
    }
}
