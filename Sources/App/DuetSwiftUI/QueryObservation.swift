#if Caching || HTTP

    public import Duet
    import DuetCaching
    package import DuetDependencies
    public import Foundation
    public import Observation

    /// The value of a cached query that a view observes, with its age and the last error.
    ///
    /// The projected value of `@ObservedQuery` is an observation: `$notes.isLoading`, `await $notes.refresh()`. It has
    /// the properties of a `QueryModel` of DuetCaching.
    @MainActor @Observable
    public final class QueryObservation<Q: Query & Hashable> where Q.Value: Sendable {
        private var model: QueryModel<Q>?
        private var failure: (any Error)?

        @ObservationIgnored private var query: Q?
        @ObservationIgnored private var scope: Result<Scope, any Error>?
        @ObservationIgnored private var task: Task<Void, Never>?
        /// Whether a refresh has begun since the observation did, which may end before it shows the outcome.
        @ObservationIgnored private var isRefreshed = false

        package init() {}

        /// The newest value, or nil before the first one.
        public var value: Q.Value? { model?.value }

        /// When the value was loaded.
        public var date: Date? { model?.date }

        /// The error of the last load; `MissingScope`, an error of the container, or `UnobservableQuery` if the query
        /// cannot be observed.
        public var error: (any Error)? { failure ?? model?.error }

        /// Whether the first value is being loaded.
        public var isLoading: Bool { model.map(\.isLoading) ?? (task != nil && failure == nil) }

        /// Whether a newer value is being loaded.
        public var isRefreshing: Bool { model?.isRefreshing == true }

        /// Whether the value is older than its policy permits, or was invalidated.
        public var isStale: Bool { model?.isStale == true }

        /// Whether the value contains changes of running or unconfirmed commands.
        public var isOptimistic: Bool { model?.isOptimistic == true }

        /// Loads the value even if it is fresh, and returns when that has succeeded or failed.
        ///
        /// If the query could not be observed, this method tries that again.
        public func refresh() async {
            guard failure == nil else { return begin() }
            isRefreshed = true
            await model?.refresh()
        }

        package func observe(_ query: Q, in scope: Result<Scope, any Error>) {
            guard query != self.query || !scope.isSame(as: self.scope) else { return }
            self.query = query
            self.scope = scope
            begin()
        }

        private func begin() {
            guard let query, let scope else { return }
            task?.cancel()
            model = nil
            failure = nil
            isRefreshed = false
            let observation: @MainActor () async -> Void = { [weak self] in
                do {
                    let dispatcher = try await scope.get().resolve((any Dispatcher).self)
                    let model = QueryModel(query, in: dispatcher)
                    guard !Task.isCancelled else { return }
                    self?.model = model
                    await model.run()
                    guard let self, !Task.isCancelled else { return }
                    // The observation has ended, so a refresh begins a new one.
                    if isRefreshed { begin() } else { failure = model.error ?? UnobservableQuery(Q.self) }
                } catch {
                    if !Task.isCancelled { self?.failure = error }
                }
            }
            // At once, so that the first frame has a value in memory.
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                task = .immediate(operation: observation)
            } else {
                task = Task(operation: observation)
            }
        }

        deinit { task?.cancel() }
    }

#endif
