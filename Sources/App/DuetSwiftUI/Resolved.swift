#if canImport(SwiftUI)

    public import Duet
    public import DuetDependencies
    public import SwiftUI

    /// A value that a view resolves from the scope around it.
    ///
    /// Declare an optional: a container resolves asynchronously, so the value is nil at first.
    ///
    /// ```swift
    /// struct DraftScreen: View {
    ///     @Resolved private var draft: DraftModel?
    ///
    ///     var body: some View {
    ///         if let draft {
    ///             DraftView(draft: draft)
    ///         } else if let error = $draft.error {
    ///             Text(verbatim: "\(error)")
    ///             Button("Try again") { $draft.retry() }
    ///         } else {
    ///             ProgressView()
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// A dispatcher is the exception: `@Resolved private var dispatcher: any Dispatcher` is available at once, and so
    /// are `any CommandDispatcher` and `any QueryDispatcher`. See <doc:DuetSwiftUI> for the lifetimes of values.
    @MainActor @propertyWrapper
    public struct Resolved<Value>: nonisolated DynamicProperty {
        @Environment(\.resolvingScope) private var scope
        @State private var resolution: Resolution<Value>

        private init(_ source: ResolutionSource<Value>) {
            _resolution = State(initialValue: Resolution(source))
        }

        /// Creates a property that is nil until its value is resolved.
        ///
        /// - Parameter name: The name of the registration, if any.
        public init<Wrapped>(named name: DependencyName? = nil) where Value == Wrapped? {
            self.init(.optional(named: name))
        }

        /// Creates a property of another type, which has no value until it is resolved.
        @available(*, unavailable, message: "Resolving is asynchronous: declare the property as an optional.")
        public init() {
            fatalError("Not available")
        }

        /// The value; nil until it is resolved.
        public var wrappedValue: Value { resolution.value }

        /// The error if the value could not be resolved, and another attempt.
        public var projectedValue: Resolution<Value> { resolution }

        /// Begins to resolve the value; SwiftUI calls this method before `body`.
        nonisolated public func update() {
            MainActor.assumeIsolated { resolution.resolve(in: scope) }
        }
    }

    extension Resolved where Value == any Dispatcher {
        /// Creates a property with the dispatcher of the scope.
        public init() { self.init(.dispatcher { $0 }) }
    }

    extension Resolved where Value == any CommandDispatcher {
        /// Creates a property with the dispatcher of the scope.
        public init() { self.init(.dispatcher { $0 }) }
    }

    extension Resolved where Value == any QueryDispatcher {
        /// Creates a property with the dispatcher of the scope.
        public init() { self.init(.dispatcher { $0 }) }
    }

#endif
