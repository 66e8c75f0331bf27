public import Duet
public import Foundation
public import Observation

/// A model for a screen that shows one cached query, with its value, its age, and the last error.
///
/// ```swift
/// let notes = QueryModel(ListNotes(), in: dispatcher)
/// let appearance = Task { await notes.run() }  // In SwiftUI: .task { await notes.run() }
/// ```
@MainActor @Observable
public final class QueryModel<Q: Query & Hashable> where Q.Value: Sendable {
    /// The query.
    public let query: Q

    /// The value, its date, its staleness, and the last error.
    public private(set) var state = QueryState<Q.Value>()

    private let dispatcher: any Dispatcher

    /// Creates a model that knows no value yet.
    ///
    /// A query whose changes no layer reports has the error ``/Duet/UnobservableQuery``.
    public init(_ query: Q, in dispatcher: any Dispatcher) {
        self.query = query
        self.dispatcher = dispatcher
    }

    /// The newest value, or nil before the first one and after ``QueryCache/removeAll()``.
    public var value: Q.Value? { state.value }

    /// When the value was loaded.
    public var date: Date? { state.date }

    /// The error of the last load, or nil after a successful one.
    public var error: (any Error)? { state.error }

    /// Whether the first value is being loaded.
    public var isLoading: Bool { state.isLoading && state.value == nil }

    /// Whether a newer value is being loaded.
    public var isRefreshing: Bool { state.isLoading && state.value != nil }

    /// Whether the value is older than its policy permits, or was invalidated.
    public var isStale: Bool { state.isStale }

    /// Whether the value contains changes of commands that are running, or that no load has confirmed yet.
    public var isOptimistic: Bool { state.isOptimistic }

    /// Observes the value until the task is canceled.
    public func run() async {
        for await state in dispatcher.observe(query) { self.state = state }
    }

    /// Loads the value again, and returns when that has succeeded or failed.
    ///
    /// The model shows the outcome while ``run()`` is running.
    public func refresh() async {
        _ = try? await dispatcher.read(query, .fresh)
    }
}
