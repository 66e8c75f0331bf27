import DuetHTTP
package import HTTPTypes

extension Fetch {
    /// Fetches the missing bytes of a stored part, or the whole representation if it has changed.
    ///
    /// See RFC 9111, section 3.4.
    ///
    /// - Parameter missing: The missing bytes, up to the largest number if the length of the whole is unknown.
    init(completing stored: StoredResponse, missing: Range<Int64>, for request: HTTPRequest) {
        var conditional = request
        for name in Self.conditions { conditional.headerFields[name] = nil }
        let last = missing.lowerBound < stored.content.range.lowerBound ? "\(missing.upperBound - 1)" : ""
        conditional.headerFields[.range] = "bytes=\(missing.lowerBound)-\(last)"
        conditional.headerFields[fields: .ifRange] = stored.fields.entityTag.map { [$0.field(.ifRange)] } ?? []
        self.init(request, reason: .partial, sending: conditional, basis: .complete(stored, missing: missing))
    }

    /// Interprets the response to a completion (section 3.4).
    func interpret(
        _ response: HTTPResponse,
        completing stored: StoredResponse,
        _ missing: Range<Int64>,
        at times: ExchangeTimes,
        by policy: HTTPCachePolicy
    ) -> Interpretation {
        if StatusCode.isFailure(response.status.code) { return .failed }
        guard response.status == .partialContent else {
            return StatusCode.belongsToItsRequest(response.status.code) ? .unusable : .replaced
        }
        guard let part = ContentRange(response), part.range.lowerBound == missing.lowerBound,
            part.range.upperBound <= missing.upperBound,
            let combined = policy.combining(stored, with: response, to: request, at: times)
        else { return .unusable }
        return .completed(combined, part.range)
    }
}

extension HTTPCachePolicy {
    /// The stored part with the fields of a response that holds another part of the same representation.
    ///
    /// The content is still the stored one: ``StoredResponse/joining(_:)`` adds the new bytes.
    ///
    /// - Returns: Nil unless a strong entity tag shows that the representation is the same (RFC 9111, section 3.4).
    package func combining(
        _ stored: StoredResponse,
        with response: HTTPResponse,
        to request: HTTPRequest,
        at times: ExchangeTimes
    ) -> StoredResponse? {
        guard response.status == .partialContent, let part = ContentRange(response),
            let tag = CachingFields(response.headerFields, received: times.received).entityTag,
            let own = stored.fields.entityTag, tag.matchesStrongly(own)
        else { return nil }
        if let length = part.completeLength, let known = stored.content.completeLength, length != known { return nil }
        let content = StoredContent.part(stored.content.range, of: stored.content.completeLength ?? part.completeLength)
        guard content.isConsistent else { return nil }
        return updated(stored, by: response, at: times, selectedBy: request)?.replacing(content: content).completed
    }
}

extension StoredResponse {
    /// The response with these bytes added; nil if there is a gap between them and the stored ones.
    package func joining(_ range: Range<Int64>) -> StoredResponse? {
        guard case .part(let part, let length) = content, !range.isEmpty, range.lowerBound <= part.upperBound,
            part.lowerBound <= range.upperBound
        else { return nil }
        let joined = min(part.lowerBound, range.lowerBound)..<max(part.upperBound, range.upperBound)
        guard length.map({ joined.upperBound <= $0 }) ?? true else { return nil }
        return replacing(content: .part(joined, of: length)).completed
    }
}
