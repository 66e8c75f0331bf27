/// A URI reference, as in `Location` (RFC 3986, section 4.1).
///
/// It is resolved here because HTTPTypes traps on a URL without a scheme, and Foundation changes the spelling of some
/// URLs.
struct URIReference {
    private var scheme: Substring?
    private var authority: Substring?
    private var path: Substring
    private var query: Substring

    /// Parses a reference (section 5.2.1).
    ///
    /// A URI without an authority, such as one of `mailto`, gets an empty one, and not that of the base.
    init(_ text: String) {
        var rest = text.prefix { $0 != "#" }
        if let end = rest.firstIndex(where: { "/?:".contains($0) }), rest[end] == ":" {
            scheme = rest[..<end]
            authority = ""
            rest = rest[rest.index(after: end)...]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            authority = rest.prefix { $0 != "/" && $0 != "?" }
            rest = rest.dropFirst(authority?.count ?? 0)
        }
        path = rest.prefix { $0 != "?" }
        query = rest[path.endIndex...]
    }

    /// Resolves the reference against a base (section 5.2.2).
    ///
    /// A target is a path with its query.
    func resolved(scheme base: String, authority host: String, target: String) -> (
        scheme: String, authority: String, target: String
    ) {
        if let authority {
            return (scheme.map(String.init) ?? base, String(authority), Self.withoutDots(path) + query)
        }
        let basePath = target.prefix { $0 != "?" }
        if path.isEmpty {
            return (base, host, query.isEmpty ? target : "\(basePath)\(query)")
        }
        let directory = basePath[..<(basePath.lastIndex(of: "/").map(basePath.index(after:)) ?? basePath.startIndex)]
        let merged = path.hasPrefix("/") ? path : (directory.isEmpty ? "/" : directory) + path
        return (base, host, Self.withoutDots(merged) + query)
    }

    /// Removes dot segments (section 5.2.4).
    private static func withoutDots(_ path: Substring) -> String {
        guard path.hasPrefix("/") else { return String(path) }
        var segments: [Substring] = []
        let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in all.enumerated() {
            let isLast = index == all.count - 1
            switch segment {
            case ".": if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default: segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}
