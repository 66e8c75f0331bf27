package import HTTPTypes

extension HTTPCachePolicy {
    /// The keys of the stored responses that a response invalidates (RFC 9111, section 4.4).
    ///
    /// A response that is not an error, to a method that is not known to be safe, invalidates the request's URI and, on
    /// the same origin, the URIs in `Location` and `Content-Location`.
    package func invalidated(by request: HTTPRequest, answered response: HTTPResponse) -> [TargetURI] {
        guard !Self.isSafe(request.method), (200...399).contains(response.status.code) else {
            return []
        }
        let others = [HTTPField.Name.location, .contentLocation].compactMap { response.headerFields[fields: $0].first }
        var keys: [TargetURI] = []
        for key in [TargetURI(request)] + others.map({ TargetURI($0, relativeTo: request) }) {
            if let key, !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    package static func isSafe(_ method: HTTPRequest.Method) -> Bool { safeMethods.contains(method.rawValue) }

    /// The safe methods of RFC 9110, section 9.2.1, and of the IANA method registry.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "REPORT", "SEARCH",
    ]
}
