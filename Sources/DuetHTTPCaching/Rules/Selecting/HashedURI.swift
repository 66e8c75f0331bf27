/// A URI with a stored hash, because each request looks it up in several tables.
///
/// Different URIs usually differ in their hashes, so that their bytes are not compared.
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
