extension String {
    /// Whether, as a host, it is this machine whatever a name server says: `localhost` or a loopback address.
    package var isThisMachine: Bool {
        ["localhost", "::1", "[::1]"].contains(lowercased()) || isIPv4Loopback
    }

    /// Whether it is an address of the block 127.0.0.0/8: a name such as `127.example.org` is none.
    private var isIPv4Loopback: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
