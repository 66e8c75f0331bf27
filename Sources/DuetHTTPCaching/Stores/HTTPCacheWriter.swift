public import Foundation

/// Takes the bytes of one response, and stores them when they are all there.
///
/// A writer that is let go of without ``commit(_:replacing:)`` stores nothing.
public protocol HTTPCacheWriter: Sendable {
    /// Takes the next bytes.
    ///
    /// - Returns: Whether there is still room for the response: when not, what follows need not be handed over, and
    ///   ``commit(_:replacing:)`` stores nothing.
    /// - Throws: What kept them from being taken, after which nothing can be committed.
    @discardableResult
    func append(_ piece: Data) async throws -> Bool

    /// Stores the response with the bytes so far, in place of other entries, in one step.
    ///
    /// - Returns: The new entry, or nil when there is no room for it, as when it is larger than a quarter of the store; the
    ///   others are gone all the same then, because it made them out of date.
    /// - Throws: What kept it from being stored; the others are still there then.
    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry?

    /// Lets go of the bytes.
    func discard() async
}
