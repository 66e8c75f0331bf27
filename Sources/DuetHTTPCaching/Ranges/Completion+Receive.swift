package import HTTPTypes

extension Completion {
    /// What the answer to ``request`` means for the stored part (RFC 9111, section 3.4).
    package func receive(_ answer: HTTPResponse, at times: ExchangeTimes, by policy: HTTPCachePolicy)
        -> CompletionResult
    {
        if StatusCode.isFailure(answer.status.code) { return .failed }
        guard answer.status == .partialContent else {
            return StatusCode.belongsToItsRequest(answer.status.code) ? .unusable : .replaced
        }
        guard let part = ContentRange(answer), part.range.lowerBound == missing.lowerBound,
            part.range.upperBound <= missing.upperBound,
            let combined = policy.combining(stored, with: answer, to: request, at: times)
        else { return .unusable }
        return .join(combined, part.range)
    }
}
