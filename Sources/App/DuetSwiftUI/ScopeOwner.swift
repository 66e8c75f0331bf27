package import DuetDependencies

/// The owner of a scope that ends with a part of the view hierarchy.
///
/// SwiftUI keeps the owner in the state of a view and releases it with that state. The scope ends then, not when the
/// view is hidden by another one.
@MainActor
package final class ScopeOwner {
    private var outer: Scope?
    private var scope: Scope?

    /// Creates an owner without a scope, because SwiftUI creates an owner each time it creates the view.
    package init() {}

    /// Returns the owner's scope, which it makes at the first call and whenever the enclosing scope is another one.
    package func scope(
        in outer: Result<Scope, any Error>,
        overriding overrides: [Override] = []
    ) -> Result<Scope, any Error> {
        Result {
            let outer = try outer.get()
            if let scope, outer === self.outer { return scope }
            let made = try outer.makeScope(overriding: overrides)
            if let scope { Self.dispose(scope) }
            self.outer = outer
            scope = made
            return made
        }
    }

    /// Returns the owner's scope within a container, or with overrides; otherwise the given scope itself.
    package func scope(from scope: Scope, overriding overrides: [Override] = []) -> Result<Scope, any Error> {
        guard scope.isContainer || !overrides.isEmpty else { return .success(scope) }
        return self.scope(in: .success(scope), overriding: overrides)
    }

    private nonisolated static func dispose(_ scope: Scope) {
        Task { await scope.dispose() }
    }

    deinit {
        if let scope { Self.dispose(scope) }
    }
}

/// A view resolves a value, but no view around it has a scope.
public struct MissingScope: Error, CustomStringConvertible {
    /// The cause, and the line to write.
    public var description: String {
        "No scope to resolve from. Write .resolving(from: container) at this view, or at a view around it."
    }

    package init() {}
}
