/// The query of a URL as it comes to be.
///
/// A value, so that the many small steps of writing are checked for exclusive access once each and not at every property.
struct QueryText {
    /// Servers bound a request's head, so a query that one of them could not read is not sent.
    static let limit = (parameters: 1_000, bytes: 65_536)

    private(set) var bytes: [UInt8] = []

    /// How many values have been written.
    private(set) var count = 0

    private var owners: [(name: String, owner: String)] = []

    var isTooLarge: Bool { count > Self.limit.parameters || bytes.count > Self.limit.bytes }

    /// Makes room for what most messages need, at once.
    mutating func reserveCapacity() {
        bytes.reserveCapacity(256)
        owners.reserveCapacity(16)
    }

    mutating func append(_ name: String, _ text: String) {
        count += 1
        // Beyond the limit it is refused anyway, and need not fill the memory before.
        guard bytes.count <= Self.limit.bytes else { return }
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        PercentEncoding.append(name, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        PercentEncoding.append(text, to: &bytes)
    }

    /// Notes that a name belongs to a property of `owner`; returns whose it was before, if it was anybody's.
    mutating func claim(_ name: String, for owner: String) -> String? {
        if let other = owners.first(where: { $0.name == name }) { return other.owner }
        owners.append((name, owner))
        return nil
    }

    func isClaimed(_ name: String, for owner: String) -> Bool {
        owners.contains { $0 == (name, owner) }
    }
}
