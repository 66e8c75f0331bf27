import Duet

/// A cached value beside the one that a store would return for it.
package struct StoredCopy: Sendable {
    package let name: String
    /// The query, with its properties.
    package let query: String
    package let value: any Sendable
    package let copy: Result<any Sendable, any Error>?
}

extension QueryCache {
    /// The values in memory whose rule is ``Cache/stored(as:version:)``, each with its copy.
    package var storedCopies: [StoredCopy] { queries.flatMap { $0.storedCopies } }
}

extension CachedQuery {
    var storedCopies: [StoredCopy] {
        guard let coding = rule.coding else { return [] }
        var copies: [StoredCopy] = []
        entries.forEach { entry in
            let isFound = (try? coding.decodeQuery(coding.encodeQuery(entry.query))) == entry.query
            copies.append(
                StoredCopy(
                    name: name,
                    query: "\(entry.query)",
                    value: entry.value,
                    copy: isFound ? Result { try coding.value.decode(coding.value.encode(entry.value)) } : nil
                )
            )
        }
        return copies
    }
}
