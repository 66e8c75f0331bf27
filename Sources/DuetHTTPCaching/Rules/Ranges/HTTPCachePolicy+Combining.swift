import DuetHTTP
package import HTTPTypes

extension HTTPCachePolicy {
    /// The stored part with the fields of an answer that holds another part of the same representation.
    ///
    /// The same it is by a strong entity tag only; nil when it is another, or not known to be the same (RFC 9111,
    /// section 3.4). The content is still the stored one: ``StoredResponse/joining(_:)`` adds the new bytes.
    package func combining(
        _ stored: StoredResponse,
        with answer: HTTPResponse,
        to request: HTTPRequest,
        at times: ExchangeTimes
    ) -> StoredResponse? {
        guard answer.status == .partialContent, let part = ContentRange(answer),
            let tag = CachingFields(answer.headerFields, received: times.received).entityTag,
            let own = stored.fields.entityTag, tag.matchesStrongly(own)
        else { return nil }
        if let length = part.completeLength, let known = stored.content.completeLength, length != known { return nil }
        let content = StoredContent.part(
            stored.content.range,
            of: stored.content.completeLength ?? part.completeLength
        )
        guard content.isConsistent else { return nil }
        return updated(stored, by: answer, at: times, selectedBy: request)?.replacing(content: content).completed
    }
}

extension StoredResponse {
    /// With these bytes besides; nil when there would be a gap between them and the stored ones.
    package func joining(_ range: Range<Int64>) -> StoredResponse? {
        guard case .part(let part, let length) = content, !range.isEmpty, range.lowerBound <= part.upperBound,
            part.lowerBound <= range.upperBound
        else { return nil }
        let joined = min(part.lowerBound, range.lowerBound)..<max(part.upperBound, range.upperBound)
        guard length.map({ joined.upperBound <= $0 }) ?? true else { return nil }
        return replacing(content: .part(joined, of: length)).completed
    }
}
