import NIOHTTP1

/// What a request asks for, as it was written (RFC 9112, section 3.2); nothing in it is decoded or normalised.
struct RequestTarget {
    /// Path and query, or `*`.
    let path: String

    /// The authority that a whole URL names; it takes the place of `Host`.
    let authority: String?

    /// Takes a target apart; nil for one that is neither a path, nor an http or https URL, nor `*` of `OPTIONS`, and for one
    /// with a fragment.
    init?(_ text: String, of method: HTTPMethod) {
        guard !text.utf8.contains(UInt8(ascii: "#")) else { return nil }
        if text.utf8.first == UInt8(ascii: "/") || text == "*" && method == .OPTIONS {
            path = text
            authority = nil
            return
        }
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        authority = String(rest[..<end])
        // RFC 9112, section 3.2.4: what asks for no path of a server asks for the server.
        let isWholeServer = end == rest.endIndex && method == .OPTIONS
        path = isWholeServer ? "*" : rest[end...].first == "/" ? String(rest[end...]) : "/" + rest[end...]
    }
}
