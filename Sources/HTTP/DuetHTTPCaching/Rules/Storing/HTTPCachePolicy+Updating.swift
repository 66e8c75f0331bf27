import DuetHTTP
package import HTTPTypes

/// A stored response with the newer fields of a response that confirmed it (RFC 9111, section 4.3.4).
package struct Freshened: Sendable, Hashable {
    package let old: StoredResponse
    package let new: StoredResponse
    /// Why the response must no longer be stored, as a 304 can require (section 5.2.2.5).
    package let refusal: NotStored?
}

extension HTTPCachePolicy {
    /// A stored response with the fields of a newer response about the same representation (RFC 9111, section 3.2).
    ///
    /// - Connection fields and `Content-Length` are not updated.
    /// - `Age` is removed if the newer response has none.
    /// - Fields that `no-cache` names are removed if the newer response has none (section 5.2.2.4), because they may
    ///   belong to another user.
    ///
    /// - Parameter request: The request that selects the response from now on; nil to keep the selecting fields.
    /// - Returns: Nil if the fields become too large, so that repeated updates cannot grow without limit.
    package func updated(
        _ stored: StoredResponse,
        by newer: HTTPResponse,
        at times: ExchangeTimes,
        selectedBy request: HTTPRequest? = nil
    ) -> StoredResponse? {
        var fields = storedFields(of: newer.headerFields)
        fields[.contentLength] = nil
        var head = stored.response
        let controls = [stored.fields.control, CacheControl(fields)]
        let unvalidated = Set(controls.flatMap { $0.noCache?.names ?? [] })
        let kept = head.headerFields.filter {
            !fields.contains($0.name) && $0.name != .age && !unvalidated.contains($0.name)
        }
        let limit = max(Self.fieldSizeLimit, head.headerFields.approximateSize)
        guard kept.approximateSize + fields.approximateSize <= limit else { return nil }
        head.headerFields = HTTPFields(kept + fields)
        if !fields.contains(.date) { head.headerFields[.date] = HTTPDate.text(times.received) }
        let selection = request.map { SelectingFields(head.headerFields, of: $0) }
        return stored.replacing(selection: selection, response: head, times: times)
    }

    /// The approximate number of bytes up to which updates may enlarge the fields of a response.
    private static let fieldSizeLimit = 256 * 1024

    /// The updated response, and the reason if it must no longer be stored (RFC 9111, section 3).
    func freshened(
        _ stored: StoredResponse,
        by newer: HTTPResponse,
        at times: ExchangeTimes,
        selectedBy request: HTTPRequest
    ) -> Freshened? {
        guard let new = updated(stored, by: newer, at: times, selectedBy: request) else { return nil }
        let refusal = storing(new.response, to: request, at: new.times).refusal
        return Freshened(old: stored, new: new, refusal: refusal)
    }
}
