package import HTTPTypes

extension HTTPCachePolicy {
    /// The keys whose stored responses an answer makes invalid (RFC 9111, section 4.4).
    ///
    /// Those of the request's own URI and, on the same origin, of `Location` and `Content-Location`, when the method is
    /// not known to be safe and the answer is no error.
    package func invalidated(by request: HTTPRequest, answered response: HTTPResponse) -> [CacheKey] {
        guard !Self.safeMethods.contains(request.method.rawValue), (200...399).contains(response.status.code) else {
            return []
        }
        let others = [HTTPField.Name.location, .contentLocation].compactMap { response.headerFields[fields: $0].first }
        var keys: [CacheKey] = []
        for key in [CacheKey(request)] + others.map({ CacheKey($0, relativeTo: request) }) {
            if let key, !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// RFC 9110, section 9.2.1, and those of the registry of methods that are safe, too.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "REPORT", "SEARCH",
    ]
}
