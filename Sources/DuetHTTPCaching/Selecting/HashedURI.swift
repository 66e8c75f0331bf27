/// A URI that is hashed once, because it is looked up in several tables on the way of a request.
///
/// Two that differ are told apart by their hashes, without a look at their bytes.
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
