public import Duet

/// Handles this module's `GetInfo`.
public struct GetInfoHandler: QueryHandler, Sendable {
    /// Creates a handler.
    public init() {}

    /// Returns the name of this module.
    public func handle(_ query: GetInfo) async throws -> String { "other module" }
}
