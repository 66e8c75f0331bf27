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

    /// Decodes the partition and the URI.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            partition: try container.decode(String.self, forKey: .partition),
            uri: try container.decode(String.self, forKey: .uri)
        )
    }

    /// Encodes the partition and the URI, without its hash.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(partition, forKey: .partition)
        try container.encode(uri, forKey: .uri)
    }
}

extension HTTPCacheKey {
    /// The size of partition and URI in bytes, for stores whose capacity is in bytes.
    public var size: Int64 { Int64(partition.utf8.count + uri.utf8.count) }
}

/// A URI with a stored hash, because each request looks it up in several tables.
///
/// Different URIs usually have different hashes, which saves comparing their bytes.
package struct HashedURI: Sendable, Hashable {
    package let text: String
    private let hash: Int

    package init(_ text: String) {
        self.text = text
        hash = text.hashValue
    }

    package static func == (one: HashedURI, other: HashedURI) -> Bool {
        one.hash == other.hash && one.text == other.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
