import Duet

/// Accepts or refuses the messages that a worker receives, before their handlers.
struct AdmittingDispatcher: Dispatcher {
    let base: any Dispatcher
    let admissions: Admissions

    /// - Throws: ``Refusal``; the error of a rule that cannot decide; the error of the handler.
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let caller = Caller.current
        try await admissions.admit(message, of: caller)
        return try await caller.admitted { try await base.dispatch(message) }
    }
}
