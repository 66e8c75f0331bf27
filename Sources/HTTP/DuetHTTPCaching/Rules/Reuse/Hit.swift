package import HTTPTypes

/// A stored response that satisfies a request.
package struct Hit: Sendable, Hashable {
    package let stored: StoredResponse
    /// The number of seconds since the response was generated (RFC 9111, section 4.2.3).
    package let age: Int
    package let lifetime: Int
    /// Fields to leave out because `no-cache` names them (RFC 9111, section 5.2.2.4).
    package let omitted: Set<HTTPField.Name>

    /// The number of seconds for which the response stays fresh; negative if it is stale (RFC 9211, section 2.4).
    package var ttl: Int { lifetime - age }
}

extension Hit {
    /// The head of the response to a request, with the stored fields and `Age` (RFC 9111, section 5.1).
    ///
    /// It is a 304, which has no body, if the client has a current copy. The request's conditions are evaluated only if
    /// the response would be a success (RFC 9110, section 13.2.1).
    package func head(for request: HTTPRequest) -> HTTPResponse {
        var head = stored.response
        if !omitted.isEmpty {
            head.headerFields = HTTPFields(head.headerFields.filter { !omitted.contains($0.name) })
        }
        head.headerFields[.age] = "\(age)"
        guard head.status.kind == .successful, Precondition(request).isMet(by: stored) else { return head }
        return head.notModified
    }
}

extension HTTPResponse {
    /// The head of a 304, with only the fields that update the client's copy (RFC 9110, section 15.4.5).
    fileprivate var notModified: HTTPResponse {
        var head = self
        head.status = .notModified
        if head.headerFields.contains(.eTag) { head.headerFields[.lastModified] = nil }
        for name in Self.metadata { head.headerFields[name] = nil }
        return head
    }

    private static let metadata: [HTTPField.Name] = [
        .acceptRanges, .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType,
    ]
}
