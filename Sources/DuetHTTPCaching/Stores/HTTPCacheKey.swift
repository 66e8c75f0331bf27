/// What stored responses are found by: who may have them, and the URI that they answer for.
public struct HTTPCacheKey: Sendable, Hashable, Codable {
    /// Whose responses these are; nothing of one partition is ever served to another.
    public let partition: String

    /// The target URI (RFC 9111, section 2).
    public let uri: String

    /// Makes a key.
    public init(partition: String = "", uri: String) {
        self.partition = partition
        self.uri = uri
    }
}

extension HTTPCacheKey {
    /// How many bytes it takes.
    package var size: Int64 { Int64(partition.utf8.count + uri.utf8.count) }
}
