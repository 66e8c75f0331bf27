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
    public func authorizing(_ api: MessageAPI) -> some Dispatcher { Door(base: self, admissions: Admissions(api)) }
}

/// Accepts or refuses messages.
private struct Door<Base: Dispatcher>: Dispatcher {
    let base: Base
    let admissions: Admissions

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let caller = Caller.current
        if caller.isAdmitted { return try await base.dispatch(message) }
        do { try await admissions.admit(message, of: caller) } catch let refusal as Refusal { throw refusal.error }
        return try await caller.admitted { try await base.dispatch(message) }
    }
}

extension Door: HandlerListing where Base: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { base.hasHandler(for: message) }
}

extension Door: LiveDispatcher {
    func isLive<Q: Query>(_ query: Q.Type) -> Bool { (base as? any LiveDispatcher)?.isLive(query) == true }

    func updates<Q: Query>(of query: Q) -> QueryUpdates<Q.Value>? where Q.Value: Sendable {
        guard let base = base as? any LiveDispatcher, base.isLive(Q.self) else { return nil }
        let caller = Caller.current
        if caller.isAdmitted { return base.updates(of: query) }
        return QueryUpdates { [admissions] in
            var updates: QueryUpdates<Q.Value>.AsyncIterator?
            var isRefused = false
            return {
                guard !isRefused else { return nil }
                if updates == nil {
                    do { try await admissions.admit(query, of: caller) } catch {
                        isRefused = true
                        return .failure((error as? Refusal)?.error ?? error)
                    }
                    updates = caller.admitted { base.updates(of: query)?.makeAsyncIterator() }
                }
                return await updates?.next()
            }
        }
    }
}
