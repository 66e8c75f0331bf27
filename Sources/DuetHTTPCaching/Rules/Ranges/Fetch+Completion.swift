import DuetHTTP
import HTTPTypes

extension Fetch {
    /// Asks for the missing bytes of a stored part, or for all of the representation if it has changed (RFC 9111,
    /// section 3.4).
    ///
    /// - Parameter missing: The missing bytes, up to the largest number if the length of the whole is unknown.
    init(completing stored: StoredResponse, missing: Range<Int64>, for request: HTTPRequest) {
        var conditional = request
        for name in Self.conditions { conditional.headerFields[name] = nil }
        let last = missing.lowerBound < stored.content.range.lowerBound ? "\(missing.upperBound - 1)" : ""
        conditional.headerFields[.range] = "bytes=\(missing.lowerBound)-\(last)"
        conditional.headerFields[fields: .ifRange] = stored.fields.entityTag.map { [$0.field(.ifRange)] } ?? []
        self.init(
            request,
            reason: .partial,
            sending: conditional,
            basis: .complete(stored, missing: missing)
        )
    }

    /// Section 3.4.
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
