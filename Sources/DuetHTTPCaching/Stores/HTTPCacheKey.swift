/// The key of stored responses: a partition and a URI.
public struct HTTPCacheKey: Sendable, Hashable, Codable {
    private enum CodingKeys: String, CodingKey {
        case partition, uri
    }

    /// The partition, whose responses are never served to another.
    public let partition: String

    package let hashedURI: HashedURI

    /// The target URI (RFC 9111, section 2).
    public var uri: String { hashedURI.text }

    /// Creates a key.
    public init(partition: String = "", uri: String) {
        self.partition = partition
        hashedURI = HashedURI(uri)
    }

    /// Reads partition and URI.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            partition: try container.decode(String.self, forKey: .partition),
            uri: try container.decode(String.self, forKey: .uri)
        )
    }

    /// Writes partition and URI.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(partition, forKey: .partition)
        try container.encode(uri, forKey: .uri)
    }
}

extension HTTPCacheKey {
    /// The number of bytes of partition and URI, for stores that are bounded by bytes.
    public var size: Int64 { Int64(partition.utf8.count + uri.utf8.count) }
}
