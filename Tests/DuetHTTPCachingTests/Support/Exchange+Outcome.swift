import DuetHTTPCaching
import HTTPTypes

/// What becomes of a request some seconds after an answer was stored.
func outcome(
    _ response: String...,
    asking request: String = "a=b",
    after seconds: Double,
    _ policy: HTTPCachePolicy = .private
) throws -> Outcome {
    let stored = try Exchange(response + ["Date: @0", "ETag: \"a\""]).stored(policy)
    let request = Exchange.request("Cache-Control: \(request)")
    return policy.lookup(in: [stored], for: request, at: Exchange.date(seconds)).outcome
}
