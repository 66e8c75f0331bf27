package import HTTPTypes

/// A stored response that satisfies a request.
package struct Hit: Sendable, Hashable {
    package let stored: StoredResponse
    /// The number of seconds since the response was generated (RFC 9111, section 4.2.3).
    package let age: Int
    package let lifetime: Int
    /// Why the response may be used although it is stale; nil if it is fresh.
    package let staleness: Staleness?
    /// Fields to leave out because `no-cache` names them (RFC 9111, section 5.2.2.4).
    package let omitted: Set<HTTPField.Name>

    /// The number of seconds for which the response stays fresh; negative if it is stale (RFC 9211, section 2.4).
    package var ttl: Int { lifetime - age }
}

/// Why a stale response may be used (RFC 9111, section 4.2.4).
package enum Staleness: Sendable, Hashable {
    case maxStale
    /// The response is validated after it was served (RFC 5861, section 3).
    case whileRevalidate
    /// The origin failed (RFC 5861, section 4; RFC 9111, section 4.2.4).
    case onFailure
}

/// A response that is made from a stored one (RFC 9111, sections 4 and 4.3.2; RFC 9110, section 13.2.2).
package enum HitResponse: Sendable, Hashable {
    /// The whole stored body, or none for HEAD.
    case whole(HTTPResponse)
    /// These bytes of the representation.
    case part(HTTPResponse, Range<Int64>)
    /// 304 without a body, because the client has a current copy.
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
    /// The response to a request, with the stored fields and `Age` (RFC 9111, section 5.1).
    ///
    /// The request's conditions are evaluated only if the response would be a success (RFC 9110, section 13.2.1).
    ///
    /// - Returns: Nil if the requested bytes are not stored.
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

    /// The whole response; nil for a GET if only a part is stored.
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
    /// The head of a 304, with only the fields that update the client's copy (RFC 9110, section 15.4.5).
    fileprivate var notModified: HTTPResponse {
        var head = self
        head.status = .notModified
        if head.headerFields.contains(.eTag) { head.headerFields[.lastModified] = nil }
        for name in Self.metadata { head.headerFields[name] = nil }
        return head
    }

    /// The head of a 416 (RFC 9110, section 15.5.17).
    fileprivate func notSatisfiable(_ length: Int64) -> HTTPResponse {
        var head = notModified
        head.status = .rangeNotSatisfiable
        head.headerFields[.contentRange] = "bytes */\(length)"
        head.headerFields[.contentLength] = "0"
        return head
    }

    /// The head of a 206 with one range (RFC 9110, section 15.3.7.1).
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
