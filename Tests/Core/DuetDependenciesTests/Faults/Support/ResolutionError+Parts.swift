import DuetDependencies

extension ResolutionError {
    /// The error of the failed factory.
    var cause: (any Error)? {
        if case .failed(let error) = reason { error } else { nil }
    }

    /// The names of a cycle.
    var cycle: [String]? {
        if case .cycle(let cycle) = reason { cycle } else { nil }
    }

    var saysScopeEnded: Bool {
        if case .scopeEnded = reason { true } else { false }
    }
}
