package import HTTPTypes

extension HTTPResponse {
    /// How many bytes the body of this answer will have, as far as its fields say, and nil when they do not.
    ///
    /// An answer to HEAD and a 304 tell the length of a body that they leave out, RFC 9110, section 8.6.
    package func announcedBodySize(to request: HTTPRequest) -> Int? {
        guard request.method != .head, status != .notModified else { return nil }
        return headerFields[.contentLength].flatMap { Int($0) }
    }
}
