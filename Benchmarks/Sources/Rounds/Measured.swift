/// A named subject to measure.
public struct Measured: Sendable {
    /// The name in the table.
    public let name: String

    /// The work of one round.
    public let body: @Sendable @concurrent () async throws -> Void

    /// Creates a subject.
    public init(_ name: String, _ body: @escaping @Sendable @concurrent () async throws -> Void) {
        self.name = name
        self.body = body
    }
}
