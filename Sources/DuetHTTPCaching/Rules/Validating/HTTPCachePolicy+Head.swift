package import HTTPTypes

/// What a response to HEAD means for a stored response to GET (RFC 9111, section 4.3.5).
package enum HeadUpdate: Sendable, Hashable {
    /// The same representation with newer fields. The first response is the one to replace.
    case update(StoredResponse, by: StoredResponse)
    /// Another representation, so that the stored response is stale.
    case remove(StoredResponse)
}

extension HTTPCachePolicy {
    /// What to do with the stored responses that a GET would have been answered with (RFC 9111, section 4.3.5).
    package func receivedHead(
        _ answer: HTTPResponse,
        to request: HTTPRequest,
        at times: ExchangeTimes,
        about candidates: [StoredResponse]
    ) -> [HeadUpdate] {
        guard request.method == .head, answer.status == .ok else { return [] }
        return candidates.filter {
            $0.method == .get && $0.response.status.kind == .successful && $0.selection.matches(request)
        }
        .map { stored in
            guard stored.describesSame(as: answer, at: times),
                let new = freshened(stored, by: answer, at: times, selectedBy: request)?.storable
            else { return .remove(stored) }
            return .update(stored, by: new)
        }
    }
}

extension StoredResponse {
    /// Whether validators and length, as far as the answer has them, are the stored ones.
    fileprivate func describesSame(as answer: HTTPResponse, at times: ExchangeTimes) -> Bool {
        let fields = CachingFields(answer.headerFields, received: times.received)
        if answer.headerFields.contains(.eTag), fields.entityTag == nil || fields.entityTag != self.fields.entityTag {
            return false
        }
        if let lastModified = fields.lastModified, lastModified != self.fields.lastModified { return false }
        guard answer.headerFields.contains(.contentLength), let own = content.completeLength else { return true }
        return fields.contentLength == own
    }
}
