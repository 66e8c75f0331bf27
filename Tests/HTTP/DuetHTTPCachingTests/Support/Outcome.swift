import DuetHTTPCaching
import HTTPTypes

/// The result of a lookup in one word, for tables of cases.
enum Outcome: Hashable {
    case fresh, stale, gatewayTimeout
    case validate(ForwardReason)
    case forward(ForwardReason)
}

extension Lookup {
    var outcome: Outcome {
        switch self {
        case .hit(let hit): hit.outcome
        case .fetch(let fetch): fetch.stored == nil ? .forward(fetch.reason) : .validate(fetch.reason)
        case .gatewayTimeout: .gatewayTimeout
        }
    }

    var hit: Hit? { if case .hit(let hit) = self { hit } else { nil } }
    var validation: Fetch? { if case .fetch(let fetch) = self, fetch.stored != nil { fetch } else { nil } }
}

extension Hit {
    var outcome: Outcome { ttl > 0 ? .fresh : .stale }
}

/// The outcome of a request this number of seconds after a response was stored.
func outcome(
    _ response: String...,
    asking request: String = "a=b",
    after seconds: Double,
    _ policy: HTTPCachePolicy = HTTPCachePolicy()
) throws -> Outcome {
    let stored = try Exchange(response + ["Date: @0", "ETag: \"a\""]).stored(policy)
    let request = Exchange.request("Cache-Control: \(request)")
    return policy.lookup(in: [stored], for: request, at: Exchange.date(seconds)).outcome
}
