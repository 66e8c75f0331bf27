import DuetDependencies

extension ResolutionError {
    /// The error of the failed factory.
    var cause: (any Error)? {
        if case .failed(let error) = reason { error } else { nil }
    }

    /// The names of a cycle.
    var ring: [String]? {
        if case .cycle(let ring) = reason { ring } else { nil }
    }

    var saysScopeEnded: Bool {
        if case .scopeEnded = reason { true } else { false }
    }
}
