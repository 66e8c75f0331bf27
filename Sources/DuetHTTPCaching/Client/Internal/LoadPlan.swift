/// What is sent to the origin.
enum LoadPlan: Sendable {
    /// The request as it is.
    case forward(ForwardReason)
    case validate(Validation)
    case complete(Completion)

    var reason: ForwardReason {
        switch self {
        case .forward(let reason): reason
        case .validate(let validation): validation.reason
        case .complete: .partial
        }
    }
}
