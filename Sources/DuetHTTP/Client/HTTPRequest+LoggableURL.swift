package import HTTPTypes

extension HTTPRequest {
    /// Where the request goes, without user information and query, which may hold secrets.
    package var loggableURL: String {
        let host = (authority ?? "").split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let path = (path ?? "/").prefix { $0 != "?" && $0 != "#" }
        return "\(scheme ?? "")://\(host)\(path)"
    }
}
