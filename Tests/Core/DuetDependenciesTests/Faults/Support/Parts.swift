import DuetDependencies
import DuetTesting

/// One of several similar types that are created from each other.
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
    /// Registers a factory that needs `need`, which is unknown until the factory runs.
    ///
    /// The factory waits until it has met the others with the same meeting, each in its own task.
    func register<P: Part, Need: Part>(
        _ lifetime: Lifetime,
        _ part: P.Type,
        needing need: Need.Type,
        _ leaks: LeakTracker,
        at meeting: Meeting? = nil
    ) {
        register(lifetime) { scope in
            // Created before the fault, to check that it is released.
            let lost = leaks.track(P())
            try await meeting?.arrive()
            let need = try await scope.resolve(Need.self)
            return leaks.track(P(need, lost))
        }
    }
}
