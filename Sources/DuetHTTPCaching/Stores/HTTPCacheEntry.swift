/// A stored response in a store: its head, and the ID of its body.
public struct HTTPCacheEntry: Sendable, Hashable, Identifiable {
    /// The ID of the entry, which no other entry of the store ever has.
    public let id: Int64

    /// The head, with the known properties of the body.
    public let response: StoredResponse

    /// Creates an entry.
    public init(id: Int64, response: StoredResponse) {
        self.id = id
        self.response = response
    }
}
