/// Something to be measured, and what is printed of it.
public struct Measured: Sendable {
    /// What it is called in the table.
    public let name: String

    /// What is done once a round.
    public let body: @Sendable @concurrent () async throws -> Void

    /// Gives what is measured a name.
    public init(_ name: String, _ body: @escaping @Sendable @concurrent () async throws -> Void) {
        self.name = name
        self.body = body
    }
}
