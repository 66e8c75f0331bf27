#if canImport(SwiftUI)

    public import DuetDependencies
    public import SwiftUI

    extension View {
        /// Lets this view and the views in it resolve from their own scope, within a container.
        ///
        /// The scope ends when SwiftUI releases the state of this view. A window, a screen or a sheet therefore has its
        /// own scoped values.
        ///
        /// - Parameters:
        ///   - container: The container.
        ///   - overrides: Registrations to replace, as they are when the view appears first.
        public func resolving(from container: Container, overriding overrides: Override...) -> some View {
            modifier(OwnScope(container: container, overrides: overrides))
        }

        /// Lets this view and the views in it resolve from a scope that its maker ends.
        ///
        /// - Parameter scope: The scope, which must outlive the view.
        public func resolving(from scope: Scope) -> some View {
            environment(\.resolvingScope, .success(scope))
        }

        /// Lets this view and the views in it resolve from their own scope, within the scope around it.
        ///
        /// - Parameter overrides: Registrations to replace, as they are when the view appears first.
        public func resolving(overriding overrides: Override...) -> some View {
            modifier(OwnScope(container: nil, overrides: overrides))
        }
    }

    extension EnvironmentValues {
        /// The scope that this view resolves from; nil outside of `resolving(from:)`.
        public var scope: Scope? { try? resolvingScope.get() }

        var resolvingScope: Result<Scope, any Error> {
            get { self[ResolvingScopeKey.self] }
            set { self[ResolvingScopeKey.self] = newValue }
        }
    }

    private struct ResolvingScopeKey: EnvironmentKey {
        static let defaultValue: Result<Scope, any Error> = .failure(MissingScope())
    }

    /// Gives its content a scope that ends with the view's state.
    private struct OwnScope: ViewModifier {
        /// The container around the new scope; nil for the scope of the environment.
        let container: Container?
        let overrides: [Override]

        @Environment(\.resolvingScope) private var outer
        @State private var owner = ScopeOwner()

        func body(content: Content) -> some View {
            let outer = container.map { .success($0.outermostScope) } ?? outer
            return content.environment(\.resolvingScope, owner.scope(in: outer, overriding: overrides))
        }
    }

#endif
