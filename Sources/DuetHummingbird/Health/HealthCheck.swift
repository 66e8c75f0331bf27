/// Asks whether something is in order that a server cannot do without, such as its database.
public struct HealthCheck: Sendable {
    /// What it is about, as clients are told.
    public let name: String

    let check: @Sendable @concurrent () async throws -> Void

    /// Makes a check that passes when `check` returns.
    ///
    /// - Parameters:
    ///   - name: What it is about, as clients are told.
    ///   - check: Throws when something is wrong; the error goes into the log only.
    public init(_ name: String, check: @escaping @Sendable @concurrent () async throws -> Void) {
        self.name = name
        self.check = check
    }
}
