package import HTTPTypes

extension HTTPCachePolicy {
    /// How a stored response is validated after it has answered stale (RFC 5861, section 3).
    ///
    /// The client's own conditions and range concern its answer alone, and are left out.
    package func validation(of stored: StoredResponse, for request: HTTPRequest) -> Validation {
        var request = request
        for name in Validation.conditions + [.range, .ifRange] { request.headerFields[name] = nil }
        request.method = stored.method
        return Validation(of: stored, for: request, reason: .stale)
    }
}
