/// What an answer to HEAD means for a stored answer to GET (RFC 9111, section 4.3.5).
package enum HeadUpdate: Sendable, Hashable {
    /// The same representation, with newer fields; the first is what it replaces.
    case update(StoredResponse, by: StoredResponse)
    /// Another representation: what is stored is stale from now on.
    case remove(StoredResponse)
}
