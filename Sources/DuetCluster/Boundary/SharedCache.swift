/// Keeps entries that all nodes share, which may be lost at any time.
public protocol SharedCache: Sendable {
    /// Returns the entry of a key; nil if there is none or it has expired.
    ///
    /// - Throws: ``TransportError``.
    func entry(for key: String) async throws -> SharedEntry?

    /// Stores an entry.
    ///
    /// - Parameters:
    ///   - envelope: The content.
    ///   - key: Any text.
    ///   - lifetime: The time after which the entry expires.
    ///   - ifRevision: The revision that the entry must have, 0 for none at all; nil if it does not matter.
    /// - Returns: The new revision; nil if the entry has another revision than expected.
    /// - Throws: ``TransportError``.
    func insert(_ envelope: Envelope, for key: String, lifetime: Duration, ifRevision: UInt64?) async throws -> UInt64?

    /// Removes the entry of a key, if there is one.
    ///
    /// - Throws: ``TransportError``.
    func remove(_ key: String) async throws
}

/// An entry of a shared cache.
public struct SharedEntry: Hashable, Sendable {
    /// The content.
    public let envelope: Envelope

    /// Larger for each later entry of the key.
    public let revision: UInt64

    /// Creates an entry.
    public init(envelope: Envelope, revision: UInt64) {
        self.envelope = envelope
        self.revision = revision
    }
}
