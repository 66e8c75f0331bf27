import DuetHTTP
package import HTTPTypes

/// A stored response with the newer fields of a response that confirmed it (RFC 9111, sections 4.3.4 and 4.3.5).
package struct Freshened: Sendable, Hashable {
    /// As it was stored.
    package let old: StoredResponse
    /// As it is served, and stored from now on.
    package let new: StoredResponse
    /// Why it may not stay stored, because a 304 can forbid that (section 5.2.2.5).
    package let refusal: NotStored?

    /// The response to store, or nil if it may not stay stored.
    package var storable: StoredResponse? { refusal == nil ? new : nil }
}

extension HTTPCachePolicy {
    /// A stored response with the fields of a newer answer about the same representation (RFC 9111, section 3.2).
    ///
    /// Never updated are the fields of the connection, the length, and, where the cache keeps part of the
    /// representation, the range; where the newer answer has no `Age`, neither has the stored response any more. Of the
    /// fields that `no-cache` names only those are kept that the newer answer brings (section 5.2.2.4): they may be
    /// another user's. From now on it is selected by the request that is given.
    ///
    /// Nil when there would be too many bytes of them: what one answer after the other adds must not grow without end.
    package func updated(
        _ stored: StoredResponse,
        by answer: HTTPResponse,
        at times: ExchangeTimes,
        selectedBy request: HTTPRequest? = nil
    ) -> StoredResponse? {
        var fields = storedFields(of: answer.headerFields)
        fields[.contentLength] = nil
        if case .part = stored.content { fields[.contentRange] = nil }
        var head = stored.response
        let controls = [control(of: stored.fields), control(of: CachingFields(fields, received: times.received))]
        let unvalidated = Set(controls.flatMap { $0.noCache?.names ?? [] })
        let kept = head.headerFields.filter {
            !fields.contains($0.name) && $0.name != .age && !unvalidated.contains($0.name)
        }
        let limit = max(Self.addedLimit, head.headerFields.approximateSize)
        guard kept.approximateSize + fields.approximateSize <= limit else { return nil }
        // What the stored fields say is private stays so where the newer answer does not speak of it.
        head.headerFields = storedFields(of: HTTPFields(kept + fields))
        if !fields.contains(.date) { head.headerFields[.date] = HTTPDate.text(times.received) }
        let selection = request.map { SelectingFields(head.headerFields, of: $0) }
        return stored.replacing(selection: selection, response: head, times: times)
    }

    /// Up to about how many bytes the fields of a response may grow.
    private static let addedLimit = 256 * 1024

    /// An updated response, and why it may not stay stored (RFC 9111, section 3), if it may not.
    func freshened(
        _ stored: StoredResponse,
        by answer: HTTPResponse,
        at times: ExchangeTimes,
        selectedBy request: HTTPRequest
    ) -> Freshened? {
        guard let new = updated(stored, by: answer, at: times, selectedBy: request) else { return nil }
        var asked = request
        // It was stored by such a request before, whatever part this one asks for.
        asked.method = stored.method
        if stored.response.status == .partialContent { asked.headerFields[.range] = "bytes=0-" }
        let refusal = storing(new.response, to: asked, at: new.times).refusal
        return Freshened(old: stored, new: new, refusal: refusal)
    }
}
