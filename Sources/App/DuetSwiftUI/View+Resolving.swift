#if canImport(SwiftUI)

    public import DuetDependencies
    public import SwiftUI

    extension View {
        /// Lets this view and the views in it resolve from a container, or from a scope that your code made.
        ///
        /// Within a container, the view has its own scope, which ends when SwiftUI releases the state of this view. A
        /// window, a screen or a sheet therefore has its own scoped values. The same applies within a scope if there
        /// are overrides. Otherwise, the view uses the scope itself, which must outlive the view.
        ///
        /// - Parameters:
        ///   - scope: The container or the scope.
        ///   - overrides: Registrations to replace, as they are when the view appears first.
        public func resolving(from scope: Scope, overriding overrides: Override...) -> some View {
            modifier(Resolving(scope: scope, overrides: overrides))
        }

        /// Lets this view and the views in it resolve from their own scope, within the scope around it.
        ///
        /// - Parameter overrides: Registrations to replace, as they are when the view appears first.
        public func resolving(overriding overrides: Override...) -> some View {
            modifier(Resolving(scope: nil, overrides: overrides))
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

    private struct Resolving: ViewModifier {
        /// The scope to resolve from; nil for a new one within the scope of the environment.
        let scope: Scope?
        let overrides: [Override]

        @Environment(\.resolvingScope) private var outer
        @State private var owner = ScopeOwner()

        func body(content: Content) -> some View {
            let scope =
                scope.map { owner.scope(from: $0, overriding: overrides) }
                ?? owner.scope(in: outer, overriding: overrides)
            return content.environment(\.resolvingScope, scope)
        }
    }

#endif
