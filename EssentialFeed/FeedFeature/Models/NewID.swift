public import Foundation

/// A source of new ids, as a dependency.
public struct NewID: Sendable {
    private let id: @Sendable () -> UUID

    /// Creates a value that calls `id` each time.
    public init(_ id: @escaping @Sendable () -> UUID) {
        self.id = id
    }

    /// Returns a new id.
    public func callAsFunction() -> UUID {
        id()
    }
}
