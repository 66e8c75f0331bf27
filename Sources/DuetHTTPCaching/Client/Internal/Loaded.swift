import DuetHTTP

/// What an exchange with the origin has come to, and what is still to be read of it.
struct Loaded: Sendable {
    var outcome: LoadOutcome
    /// The body, when it is handed out piece by piece; and where it is stored meanwhile.
    var source: HTTPBody?
    var recording: Recording?

    init(_ answer: CacheAnswer, sharing: LoadOutcome.Sharing = .none) {
        outcome = LoadOutcome(answer: answer, sharing: sharing)
    }
}
