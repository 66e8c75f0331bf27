package import HTTPTypes

/// The response to a client that a stored response gives (RFC 9111, sections 4 and 4.3.2; RFC 9110, section 13.2.2).
package enum HitResponse: Sendable, Hashable {
    /// The whole stored body; nothing of it for HEAD.
    case whole(HTTPResponse)
    /// These bytes of the representation.
    case part(HTTPResponse, Range<Int64>)
    /// 304 without a body, because the client has the response already.
    case notModified(HTTPResponse)
    /// 416 without a body, because the representation has no such bytes.
    case notSatisfiable(HTTPResponse)

    package var head: HTTPResponse {
        switch self {
        case .whole(let head), .part(let head, _), .notModified(let head), .notSatisfiable(let head): head
        }
    }
}

extension Hit {
    /// The response to a request: the stored fields with `Age` (RFC 9111, section 5.1), subject to the request's
    /// conditions and range; nil if the requested bytes are not stored.
    ///
    /// Conditions are evaluated only if the response would be a success (RFC 9110, section 13.2.1).
    package func response(to request: HTTPRequest) -> HitResponse? {
        guard stored.coverage(of: request) == .covered else { return nil }
        var head = stored.response
        if !omitted.isEmpty {
            head.headerFields = HTTPFields(head.headerFields.filter { !omitted.contains($0.name) })
        }
        head.headerFields[.age] = "\(age)"
        guard head.status.kind == .successful else { return whole(head, request) }
        if request.method == .head, case .part(_, let length?) = stored.content { head = head.whole(length) }
        if Precondition(request).isMet(by: stored) { return .notModified(head.notModified) }
        return part(of: head, to: request)
    }

    /// Nil for a GET if only a part is stored.
    private func whole(_ head: HTTPResponse, _ request: HTTPRequest) -> HitResponse? {
        if case .part = stored.content, request.method == .get { return nil }
        return .whole(head)
    }

    private func part(of head: HTTPResponse, to request: HTTPRequest) -> HitResponse? {
        guard let length = stored.content.completeLength, [200, 206].contains(head.status.code),
            let range = RangeRequest(request), stored.ifRangeHolds(request), !range.isOfAll(length)
        else { return partOfUnknownLength(head, request) ?? whole(head, request) }
        let bytes = range.resolved(in: length)
        return bytes.isEmpty ? .notSatisfiable(head.notSatisfiable(length)) : .part(head.part(bytes, of: length), bytes)
    }

    private func partOfUnknownLength(_ head: HTTPResponse, _ request: HTTPRequest) -> HitResponse? {
        guard case .part(_, nil) = stored.content, case .from(let first, let end?) = RangeRequest(request) else {
            return nil
        }
        return .part(head.part(first..<end, of: nil), first..<end)
    }
}

extension HTTPResponse {
    /// RFC 9110, section 15.4.5: without the fields that describe the content, but with those that update the client's
    /// copy.
    fileprivate var notModified: HTTPResponse {
        var head = self
        head.status = .notModified
        if head.headerFields.contains(.eTag) { head.headerFields[.lastModified] = nil }
        for name in Self.metadata { head.headerFields[name] = nil }
        return head
    }

    /// RFC 9110, section 15.5.17.
    fileprivate func notSatisfiable(_ length: Int64) -> HTTPResponse {
        var head = notModified
        head.status = .rangeNotSatisfiable
        head.headerFields[.contentRange] = "bytes */\(length)"
        head.headerFields[.contentLength] = "0"
        return head
    }

    /// The head of the whole representation.
    fileprivate func whole(_ length: Int64) -> HTTPResponse {
        var head = self
        head.status = .ok
        head.headerFields[.contentRange] = nil
        head.headerFields[.contentLength] = "\(length)"
        return head
    }

    /// RFC 9110, section 15.3.7.1.
    fileprivate func part(_ range: Range<Int64>, of length: Int64?) -> HTTPResponse {
        var head = self
        head.status = .partialContent
        let complete = length.map { "\($0)" } ?? "*"
        head.headerFields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(complete)"
        head.headerFields[.contentLength] = "\(range.length)"
        return head
    }

    private static let metadata: [HTTPField.Name] = [
        .acceptRanges, .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType,
    ]
}
