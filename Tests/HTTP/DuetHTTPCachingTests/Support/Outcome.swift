import DuetHTTPCaching
import HTTPTypes

/// The result of a lookup in one word, for tables of cases.
enum Outcome: Hashable {
    case fresh, maxStale, whileRevalidate, onFailure, complete, gatewayTimeout
    case validate(ForwardReason)
    case forward(ForwardReason)
}

extension Lookup {
    var outcome: Outcome {
        switch self {
        case .hit(let hit): hit.outcome
        case .fetch(let fetch):
            switch fetch.basis {
            case .none: .forward(fetch.reason)
            case .validate: .validate(fetch.reason)
            case .complete: .complete
            }
        case .gatewayTimeout: .gatewayTimeout
        }
    }

    var hit: Hit? { if case .hit(let hit) = self { hit } else { nil } }
    var validation: Fetch? { fetch { if case .validate = $0 { true } else { false } } }
    var completion: Fetch? { fetch { if case .complete = $0 { true } else { false } } }

    private func fetch(where isMeant: (Fetch.Basis) -> Bool) -> Fetch? {
        if case .fetch(let fetch) = self, isMeant(fetch.basis) { fetch } else { nil }
    }
}

extension Fetch {
    /// The stored response that the fetch is based on.
    var stored: StoredResponse? {
        switch basis {
        case .none: nil
        case .validate(let stored), .complete(let stored, _): stored
        }
    }

    /// The bytes that a completion asks for.
    var missing: Range<Int64>? {
        if case .complete(_, let missing) = basis { missing } else { nil }
    }
}

extension Hit {
    var outcome: Outcome {
        switch staleness {
        case nil: .fresh
        case .maxStale: .maxStale
        case .whileRevalidate: .whileRevalidate
        case .onFailure: .onFailure
        }
    }
}

/// The outcome of a request this number of seconds after a response was stored.
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
