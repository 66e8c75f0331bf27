extension QueryCache {
    /// Removes the values that nobody observes from memory, as at a shortage of memory.
    ///
    /// Those in the store stay, and others are loaded again when they are needed. On Apple platforms, the cache does
    /// this by itself when the system reports memory pressure.
    public func removeUnobserved() {
        for line in lines { line.removeUnobserved() }
    }

    /// Removes values that are too old to be served, even if loading fails.
    ///
    /// Storing values also removes some of them. Call this from time to time if the cache may be idle for long.
    ///
    /// - Throws: The error of the store; ``CacheStoreFailure`` if it does not end within its timeout.
    public func removeExpired() async throws {
        core.evict(core.order.removeExpired(at: core.seconds))
        try await core.tier?.removeExpired(at: core.now())
    }

    /// Signs a user out, so that nothing of the user is loaded, sent or found again.
    ///
    /// The steps are taken in the order of the parameters, and each one also if an earlier one has failed. The last
    /// step is ``removeAll()``. If the task is canceled, the commands and values are removed nevertheless.
    ///
    /// - Parameters:
    ///   - server: Signs out at the server, while there are credentials.
    ///   - credentials: Drops the credentials.
    ///   - screens: Ends the screens that observe values of the user.
    ///   - queue: The queue whose commands are removed, also those that were not sent.
    /// - Throws: The first error, after all steps.
    public func signOut(
        atServer server: () async throws -> Void = {},
        dropping credentials: () async throws -> Void,
        ending screens: () async throws -> Void = {},
        queue: CommandQueue? = nil
    ) async throws {
        var failure: (any Error)?
        func take(_ step: () async throws -> Void) async {
            do { try await step() } catch { failure = failure ?? error }
        }
        await take(server)
        await take(credentials)
        await take(screens)
        await take { try await Task { try await queue?.removeAll() }.value }
        await take { try await Task { try await removeAll() }.value }
        if let failure { throw failure }
    }
}
