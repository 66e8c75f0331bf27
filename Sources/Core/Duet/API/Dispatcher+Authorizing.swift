extension Dispatcher {
    /// Returns this dispatcher behind a door, which accepts a message or refuses it where it enters the program.
    ///
    /// ```swift
    /// let door = try makeNotes().authorizing(notes)
    /// ```
    ///
    /// A message is validated, and then authorized by the rule of the list for `Principal.current`. Messages that its
    /// handler dispatches for the same caller are not checked again, and ``withPrincipal(_:operation:)`` ends that.
    /// Work that the program does by itself says so: ``withAuthority(_:operation:)``.
    ///
    /// A cache belongs behind the door. Handlers can hold the dispatcher behind it, too.
    ///
    /// - Parameter api: The messages, which are the only ones that pass.
    public func authorizing(_ api: MessageAPI) -> some Dispatcher {
        with(AuthorizingMiddleware(admissions: Admissions(api)))
    }
}

/// Accepts or refuses messages, and each value of an observed query.
private struct AuthorizingMiddleware: ValuePreservingMiddleware {
    let admissions: Admissions

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        let caller = Caller.current
        if caller.isAdmitted { return try await next.dispatch(message) }
        do { try await admissions.admit(message, of: caller) } catch let refusal as Refusal { throw refusal.error }
        return try await caller.admitted { try await next.dispatch(message) }
    }

    func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        let caller = Caller.current
        if caller.isAdmitted { return next.updates(of: query) }
        guard let states = caller.admitted({ next.updates(of: query) })?.passing(through: self, query, before: next)
        else { return nil }
        return QueryStates { [admissions] in
            var iterator: QueryStates<Q.Value>.AsyncIterator?
            return {
                if iterator == nil {
                    // Before anything is loaded for the caller.
                    do {
                        try await admissions.admit(query, of: caller)
                        iterator = caller.admitted { states.makeAsyncIterator() }
                    } catch {
                        iterator = QueryStates(failure: (error as? Refusal)?.error ?? error).makeAsyncIterator()
                    }
                }
                return await iterator?.next()
            }
        }
    }
}
