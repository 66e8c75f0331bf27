#if canImport(SwiftUI) && (Caching || HTTP)

    public import Duet
    public import SwiftUI

    /// The value of a cached query, which a view observes as long as SwiftUI keeps the view's state.
    ///
    /// ```swift
    /// struct FoundNotes: View {
    ///     @ObservedQuery<ListNotes> private var notes: [Note]?
    ///
    ///     init(text: String) {
    ///         _notes = ObservedQuery(ListNotes(text: text))
    ///     }
    ///
    ///     var body: some View {
    ///         List(notes ?? []) { note in Text(note.text) }
    ///     }
    /// }
    /// ```
    ///
    /// The query is dispatched by the `any Dispatcher` of the scope around the view. A layer of that dispatcher must be
    /// a cache with a `Cache` rule for the query. Another query, such as one with another text, replaces the first.
    ///
    /// For a query without parameters from the view, write `@ObservedQuery(ListNotes()) private var notes`.
    @MainActor @propertyWrapper
    public struct ObservedQuery<Q: Query & Hashable>: nonisolated DynamicProperty where Q.Value: Sendable {
        @Environment(\.resolvingScope) private var scope
        @State private var observation = QueryObservation<Q>()

        private let query: Q

        /// Creates a property that observes a query.
        public init(_ query: Q) {
            self.query = query
        }

        /// The newest value, or nil before the first one.
        public var wrappedValue: Q.Value? { observation.value }

        /// The value with its age and the last error.
        public var projectedValue: QueryObservation<Q> { observation }

        /// Begins to observe the query; SwiftUI calls this method before `body`.
        nonisolated public func update() {
            MainActor.assumeIsolated { observation.observe(query, in: scope) }
        }
    }

#endif
