public import Duet

/// Answers this module's `GetInfo`.
public struct GetInfoHandler: QueryHandler, Sendable {
    /// Makes the handler, which has nothing to set.
    public init() {}

    /// Says that this module answered.
    public func handle(_ query: GetInfo) async throws -> String { "other module" }
}
