package import HTTPTypes

/// How a cache handles a request, given the responses that are stored for its URI (RFC 9111, section 4).
package enum Lookup: Sendable, Hashable {
    /// A stored response answers the request now.
    case hit(Hit)
    /// The request goes to the origin.
    case fetch(Fetch)
    /// The request accepts stored responses only, and none can be used: 504 (section 5.2.1.7).
    case gatewayTimeout
}

/// A request to the origin, and the stored response that it validates or completes.
package struct Fetch: Sendable, Hashable {
    /// What is stored that the origin's response may confirm or complete.
    package enum Basis: Sendable, Hashable {
        case none
        /// A response that the origin may confirm (section 4.3).
        case validate(StoredResponse)
        /// A part of a representation, and the bytes that are missing (section 3.4).
        case complete(StoredResponse, missing: Range<Int64>)
    }

    /// Why the request goes to the origin.
    package let reason: ForwardReason
    /// The client's request.
    package let original: HTTPRequest
    /// The request that is sent.
    package let request: HTTPRequest
    package let basis: Basis

    package init(
        _ original: HTTPRequest,
        reason: ForwardReason,
        sending request: HTTPRequest? = nil,
        basis: Basis = .none
    ) {
        self.reason = reason
        self.original = original
        self.request = request ?? original
        self.basis = basis
    }

    /// The client's request as it came, without regard to what is stored.
    var unconditional: Fetch { Fetch(original, reason: reason) }
}

/// What the origin's response to a ``Fetch`` means for the stored response that the fetch is based on.
package enum Interpretation: Sendable, Hashable {
    /// The response stands for itself: it is stored and forwarded like any other.
    case replaced
    /// 304, and the stored response is still valid (section 4.3.3).
    case confirmed(Freshened)
    /// The missing bytes follow: ``StoredResponse/joining(_:)`` with their range is the response when they have
    /// arrived.
    case completed(StoredResponse, Range<Int64>)
    /// The origin failed. A stale response may be served instead.
    case failed
    /// The response says nothing about the stored one, so that the client's own request has to be sent.
    case unusable
}

extension Fetch {
    /// Interprets the origin's response to ``request``.
    package func interpret(_ response: HTTPResponse, at times: ExchangeTimes, by policy: HTTPCachePolicy)
        -> Interpretation
    {
        switch basis {
        case .none: .replaced
        case .validate(let stored): interpret(response, validating: stored, at: times, by: policy)
        case .complete(let stored, let missing):
            interpret(response, completing: stored, missing, at: times, by: policy)
        }
    }
}
