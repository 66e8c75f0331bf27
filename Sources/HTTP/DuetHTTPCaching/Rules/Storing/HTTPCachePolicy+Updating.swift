import DuetHTTP
package import HTTPTypes

/// A stored response with the newer fields of a response that confirmed it (RFC 9111, sections 4.3.4 and 4.3.5).
package struct Freshened: Sendable, Hashable {
    /// The response as it was stored.
    package let old: StoredResponse
    /// The response with the newer fields.
    package let new: StoredResponse
    /// Why the response must no longer be stored, as a 304 can require (section 5.2.2.5).
    package let refusal: NotStored?

    /// The response to store, or nil if it must no longer be stored.
    package var storable: StoredResponse? { refusal == nil ? new : nil }
}

extension HTTPCachePolicy {
    /// A stored response with the fields of a newer response about the same representation (RFC 9111, section 3.2).
    ///
    /// - Connection fields and `Content-Length` are not updated, and neither is `Content-Range` if a part is stored.
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
        if case .part = stored.content { fields[.contentRange] = nil }
        var head = stored.response
        let controls = [control(of: stored.fields), control(of: CachingFields(fields, received: times.received))]
        let unvalidated = Set(controls.flatMap { $0.noCache?.names ?? [] })
        let kept = head.headerFields.filter {
            !fields.contains($0.name) && $0.name != .age && !unvalidated.contains($0.name)
        }
        let limit = max(Self.fieldSizeLimit, head.headerFields.approximateSize)
        guard kept.approximateSize + fields.approximateSize <= limit else { return nil }
        // Fields that the stored directives declare private stay so, unless the newer response has other directives.
        head.headerFields = storedFields(of: HTTPFields(kept + fields))
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
        var original = request
        // The decision is about the kind of request that the response was stored for, whatever this one asks for.
        original.method = stored.method
        if stored.response.status == .partialContent { original.headerFields[.range] = "bytes=0-" }
        let refusal = storing(new.response, to: original, at: new.times).refusal
        return Freshened(old: stored, new: new, refusal: refusal)
    }
}

/// The effect of a response to HEAD on a stored response to GET (RFC 9111, section 4.3.5).
package enum HeadUpdate: Sendable, Hashable {
    /// The representation is the same, and the second response with newer fields replaces the first.
    case update(StoredResponse, by: StoredResponse)
    /// The representation has changed, so that the stored response is obsolete.
    case remove(StoredResponse)
}

extension HTTPCachePolicy {
    /// The effects on the stored responses that could have been selected for a GET (RFC 9111, section 4.3.5).
    package func receivedHead(
        _ response: HTTPResponse,
        to request: HTTPRequest,
        at times: ExchangeTimes,
        about candidates: [StoredResponse]
    ) -> [HeadUpdate] {
        guard request.method == .head, response.status == .ok else { return [] }
        return candidates.filter {
            $0.method == .get && $0.response.status.kind == .successful && $0.selection.matches(request)
        }
        .map { stored in
            guard stored.describesSame(as: response, at: times),
                let new = freshened(stored, by: response, at: times, selectedBy: request)?.storable
            else { return .remove(stored) }
            return .update(stored, by: new)
        }
    }
}

extension StoredResponse {
    /// Whether the validators and the length of a response, as far as it has any, are the stored ones.
    fileprivate func describesSame(as head: HTTPResponse, at times: ExchangeTimes) -> Bool {
        let fields = CachingFields(head.headerFields, received: times.received)
        if head.headerFields.contains(.eTag), fields.entityTag == nil || fields.entityTag != self.fields.entityTag {
            return false
        }
        if let lastModified = fields.lastModified, lastModified != self.fields.lastModified { return false }
        guard head.headerFields.contains(.contentLength), let own = content.completeLength else { return true }
        return fields.contentLength == own
    }
}
