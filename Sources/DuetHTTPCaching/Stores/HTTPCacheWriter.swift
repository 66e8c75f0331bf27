public import Foundation

/// Takes the bytes of one response, and stores the response when it is complete.
///
/// A writer that is released without ``commit(_:replacing:)`` stores nothing.
public protocol HTTPCacheWriter: Sendable {
    /// Takes the next bytes.
    ///
    /// - Returns: Whether the store still has room for the response. If not, ``commit(_:replacing:)`` stores nothing,
    ///   and further bytes need not be passed.
    /// - Throws: An error if the bytes cannot be taken. Nothing can be committed then.
    @discardableResult
    func append(_ piece: Data) async throws -> Bool

    /// Stores the response with the bytes so far, and removes the entries that it replaces, in one step.
    ///
    /// - Returns: The new entry, or nil if the store has no room for it. The other entries are removed in either case,
    ///   because they are out of date.
    /// - Throws: An error if the response cannot be stored. The other entries still exist then.
    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry?

    /// Releases the bytes.
    func discard() async
}
