public import Duet
public import Foundation
public import Observation

/// A model for a screen that shows one cached query, with its value, its age, and the last error.
///
/// ```swift
/// let notes = QueryModel(ListNotes(), in: dispatcher)
/// let appearance = Task { await notes.run() }  // In SwiftUI: .task { await notes.run() }
/// ```
///
/// Each property notifies its observers only of another value. A view that reads ``value`` is not updated when a load
/// brings an equal one, if values are `Equatable`.
@MainActor @Observable
public final class QueryModel<Q: Query & Hashable> where Q.Value: Sendable {
    package let query: Q

    /// The newest value, or nil before the first one and after ``QueryCache/removeAll()``.
    public private(set) var value: Q.Value?

    /// When the value was loaded.
    public private(set) var date: Date?

    /// The error of the last load, or nil after a successful one.
    public private(set) var error: (any Error)?

    /// Whether the first value is being loaded.
    public private(set) var isLoading = false

    /// Whether a newer value is being loaded.
    public private(set) var isRefreshing = false

    /// Whether the value was older than its policy permits when it was read or loaded, or was invalidated since.
    public private(set) var isStale = false

    /// Whether the value contains changes of running or unconfirmed commands.
    public private(set) var isOptimistic = false

    private let dispatcher: any Dispatcher

    /// Creates a model, without a load.
    ///
    /// If the dispatcher is a ``CachingDispatcher`` with a value of the query in memory, the model shows it at once.
    /// With layers around the cache, it does so soon after ``run()`` has begun. A query whose changes no layer reports
    /// has the error ``/Duet/UnobservableQuery``.
    public init(_ query: Q, in dispatcher: any Dispatcher) {
        self.query = query
        self.dispatcher = dispatcher
        let cached = (dispatcher as? CachingDispatcher)?.cache.cached(Q.self)
        if let cached { show(cached.currentState(of: query)) }
    }

    /// Observes the value until the task is canceled.
    ///
    /// A load that nobody else needs then ends with it.
    public func run() async {
        change(\.isLoading, to: value == nil)
        for await state in dispatcher.observe(query) { show(state) }
        change(\.isLoading, to: false)
        change(\.isRefreshing, to: false)
    }

    /// Loads the value again, and returns when that has succeeded or failed.
    ///
    /// The model shows the outcome while ``run()`` is running.
    public func refresh() async {
        _ = try? await dispatcher.read(query, .fresh)
    }

    private func show(_ state: QueryState<Q.Value>) {
        change(\.value, to: state.value)
        change(\.date, to: state.date)
        change(\.error, to: state.error)
        change(\.isLoading, to: state.isLoading && state.value == nil)
        change(\.isRefreshing, to: state.isLoading && state.value != nil)
        change(\.isStale, to: state.isStale)
        change(\.isOptimistic, to: state.isOptimistic)
    }

    private func change(_ property: ReferenceWritableKeyPath<QueryModel, Bool>, to new: Bool) {
        if self[keyPath: property] != new { self[keyPath: property] = new }
    }

    private func change<T>(_ property: ReferenceWritableKeyPath<QueryModel, T?>, to new: T?) {
        switch (self[keyPath: property], new) {
        case (nil, nil): break
        case (let old?, let new?) where areEqual(old, new) == true: break
        default: self[keyPath: property] = new
        }
    }
}
