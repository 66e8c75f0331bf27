import DuetHTTPCaching

/// A decision in a word, for tables.
enum Outcome: Hashable {
    case fresh, maxStale, whileRevalidate, onFailure, complete, gatewayTimeout
    case validate(ForwardReason)
    case forward(ForwardReason)
}

extension Reuse {
    var outcome: Outcome {
        switch self {
        case .hit(let hit): hit.outcome
        case .validate(let validation): .validate(validation.reason)
        case .complete: .complete
        case .forward(let reason): .forward(reason)
        case .gatewayTimeout: .gatewayTimeout
        }
    }

    var hit: Hit? { if case .hit(let hit) = self { hit } else { nil } }
    var validation: Validation? { if case .validate(let validation) = self { validation } else { nil } }
    var completion: Completion? { if case .complete(let completion) = self { completion } else { nil } }
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
