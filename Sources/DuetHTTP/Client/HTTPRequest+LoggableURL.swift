package import HTTPTypes

extension HTTPRequest {
    /// Where the request goes, without user information and query, which may hold secrets.
    package var loggableURL: String {
        // Among the Unicode scalars: with an accent after it, a mark is another character, and what follows would be shown.
        let authority = (authority ?? "").unicodeScalars
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority[...]
        let path = (path ?? "/").unicodeScalars.prefix { $0 != "?" && $0 != "#" }
        return "\(scheme ?? "")://\(String(host))\(String(path))"
    }
}
