import Duet

/// The reason why a type could not be resolved, and the path to it.
public struct ResolutionError: Error, CustomStringConvertible {
    /// The reasons why the last type of the path could not be resolved.
    @nonexhaustive
    public enum Reason: Sendable {
        /// Nothing is registered for the type.
        case notRegistered

        /// The type depends on itself through a cycle of these types.
        case cycle([String])

        /// The type is scoped, but was resolved outside a scope.
        case scopedOutsideScope

        /// The scope, or the container, has ended.
        case scopeEnded

        /// Creating the value failed with this error.
        case failed(any Error)
    }

    /// The requested type, then each dependency on the way down to the type that could not be created.
    public let path: [String]

    /// The reason why the last type of the path could not be resolved.
    public let reason: Reason

    init(path: [String] = [], reason: Reason) {
        self.path = path
        self.reason = reason
    }

    init(_ reason: Reason, _ key: DependencyKey) {
        self.init(path: [key.shortName], reason: reason)
    }

    /// Returns an error with `name` in front of its path; a cancellation stays as it is.
    static func wrap(_ error: any Error, in name: String) -> any Error {
        switch error {
        case is CancellationError: error
        case let error as ResolutionError: ResolutionError(path: [name] + error.path, reason: error.reason)
        default: ResolutionError(path: [name], reason: .failed(error))
        }
    }

    /// The path, the failure, and its remedy.
    public var description: String {
        let name = path.last ?? ""
        let what =
            switch reason {
            case .notRegistered:
                """
                not registered. Register \(name) with the builder of this container, or resolve \(name)? if it may be \
                missing.
                """
            case .cycle(let cycle):
                """
                depends on itself: \(cycle.joined(separator: " → ")). Make one of them resolve the other later, when \
                it is used.
                """
            case .scopedOutsideScope:
                """
                scoped, but resolved outside a scope. Resolve it in container.withScope { … }. A singleton cannot have \
                it, and a hand-written Resolvable type must list it in its dependencies.
                """
            case .scopeEnded:
                """
                the scope, or the container, has ended. Resolve or dispatch it before that, or in a scope that lives \
                long enough.
                """
            case .failed(let error):
                "could not be created: \(error)"
            }
        return "\(path.joined(separator: " → ")): \(what)"
    }
}

extension ResolutionError: ScopeError {
    package var isEndOfScope: Bool { if case .scopeEnded = reason { true } else { false } }
}
