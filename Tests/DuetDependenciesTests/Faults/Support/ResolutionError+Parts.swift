import DuetDependencies

extension ResolutionError {
    /// The error of the factory that failed.
    var cause: (any Error)? {
        if case .failed(let error) = reason { error } else { nil }
    }

    /// What needs itself, by way of what.
    var ring: [String]? {
        if case .cycle(let ring) = reason { ring } else { nil }
    }

    var saysScopeEnded: Bool {
        if case .scopeEnded = reason { true } else { false }
    }
}
