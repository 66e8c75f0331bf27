/// Why something could not be made, and the way from what was asked for to where the fault is.
public struct ResolutionError: Error {
    /// What was the matter with the last on the way.
    @nonexhaustive
    public enum Reason: Sendable {
        /// Nothing is registered for it.
        case notRegistered

        /// It needs itself, over the ring of these.
        case cycle([String])

        /// It lives as long as a scope does, and was asked for outside any.
        case scopedOutsideScope

        /// The scope that it was asked for in, or the container, has ended.
        case scopeEnded

        /// Making it failed with this error.
        case failed(any Error)
    }

    /// What was asked for, what that needs, and so on down to what could not be made.
    public let path: [String]

    /// What was the matter with the last of the path.
    public let reason: Reason

    init(path: [String] = [], reason: Reason) {
        self.path = path
        self.reason = reason
    }

    init(_ reason: Reason, _ key: DependencyKey) {
        self.init(path: [key.shortName], reason: reason)
    }

    /// The error as it is told one step further up: a cancellation as such, everything else with its path.
    static func wrap(_ error: any Error, in name: String) -> any Error {
        switch error {
        case is CancellationError: error
        case let error as ResolutionError: ResolutionError(path: [name] + error.path, reason: error.reason)
        default: ResolutionError(path: [name], reason: .failed(error))
        }
    }
}

extension ResolutionError: CustomStringConvertible {
    /// The way, what failed and what to do about it.
    public var description: String {
        let name = path.last ?? ""
        let what =
            switch reason {
            case .notRegistered:
                "not registered. Register \(name) with the builder of this container, or ask for \(name)? if it may be missing."
            case .cycle(let ring):
                "needs itself: \(ring.joined(separator: " → ")). Make one of them resolve the other later, when it is used."
            case .scopedOutsideScope:
                """
                scoped, and asked for outside a scope. Resolve it in container.withScope { … }; a singleton cannot have \
                it, and what is made by hand has to list it in its dependencies.
                """
            case .scopeEnded:
                "the scope, or the container, has ended. Resolve or dispatch it before that, or in a scope that lives long enough."
            case .failed(let error):
                "could not be made: \(error)"
            }
        return "\(path.joined(separator: " → ")): \(what)"
    }
}
