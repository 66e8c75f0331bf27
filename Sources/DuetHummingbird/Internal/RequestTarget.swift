import HTTPTypes
import Hummingbird

/// What a request is for, as far as an API below a base path is asked.
struct RequestTarget {
    /// The path below the base, percent-encoded, with the slash at its start.
    let path: Substring

    /// What follows the question mark, percent-encoded; nil when there is none.
    let query: String?

    /// - Returns: Nil when the path does not lie below the base.
    init?(_ request: Request, below base: String) {
        // A request may also name a whole URL (RFC 9112, section 3.2.2): only then is it worth reading as one.
        let target = request.head.path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        let (whole, query) =
            if let target {
                target.utf8.firstIndex(of: UInt8(ascii: "?")).map { mark in
                    (target[..<mark], String(target[target.utf8.index(after: mark)...]))
                } ?? (target[...], nil)
            } else {
                (request.uri.path[...], request.uri.query)
            }
        guard whole.utf8.starts(with: base.utf8) else { return nil }
        let path = whole[whole.utf8.index(whole.startIndex, offsetBy: base.utf8.count)...]
        guard path.utf8.first == UInt8(ascii: "/") || (path.isEmpty && !base.isEmpty) else { return nil }
        self.path = path
        self.query = query
    }
}
