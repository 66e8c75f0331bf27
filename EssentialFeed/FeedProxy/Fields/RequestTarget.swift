/// What a request asks for, as it was written (RFC 9112, section 3.2); nothing in it is decoded or normalised.
struct RequestTarget {
    /// Path and query, or `*`.
    let path: String

    /// The authority that a whole URL names; it takes the place of `Host`.
    let authority: String?

    /// Takes a target apart; nil for one that is neither a path, nor an http or https URL, nor `*`.
    init?(_ text: String) {
        if text.hasPrefix("/") || text == "*" {
            path = text
            authority = nil
            return
        }
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard end > rest.startIndex else { return nil }
        authority = String(rest[..<end])
        path = rest[end...].first == "/" ? String(rest[end...]) : "/" + rest[end...]
    }
}
