package import HTTPTypes

extension HTTPRequest {
    /// The request's URL without user information and query, which may hold secrets.
    package var loggableURL: String {
        // Search the Unicode scalars: a mark followed by an accent is another character, and what follows would be
        // shown.
        let authority = (authority ?? "").unicodeScalars
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority[...]
        let path = (path ?? "/").unicodeScalars.prefix { $0 != "?" && $0 != "#" }
        return "\(scheme ?? "")://\(String(host))\(String(path))"
    }
}
