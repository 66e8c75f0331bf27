/// One stored response as a store knows it: its head, and what its body is found by.
public struct HTTPCacheEntry: Sendable, Hashable, Identifiable {
    /// What a store calls the entry; no other entry of the store ever has it.
    public let id: Int64

    /// The head, with what is known of the body.
    public let response: StoredResponse

    /// Makes an entry.
    public init(id: Int64, response: StoredResponse) {
        self.id = id
        self.response = response
    }
}
