extension QueryCache {
    /// Removes the values that nobody observes from memory, as at a shortage of memory.
    ///
    /// Those in the store stay, and others are loaded again when they are needed. On Apple platforms, the cache does
    /// this by itself when the system reports memory pressure.
    public func removeUnobserved() {
        for query in queries { query.removeUnobserved() }
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

    /// Removes all values from memory and from the store, so that a failed load returns none of them.
    ///
    /// Observers lose their value, and load a new one. When a user signs out, drop the credentials before, so that
    /// nothing is loaded for that user again.
    ///
    /// - Throws: ``CacheStoreFailure`` if the store fails or does not end within its timeout. The memory is then empty,
    ///   and ``flush()`` tries a failed removal again. This process returns no value of the store, and neither does the
    ///   next launch if the store has noted the removal, as `SQLiteCacheStore` does: ``CacheStore/noteRemoval()``.
    public func removeAll() async throws {
        invalidating { _ in
            core.everything.invalidate(core.epochs)
            core.removed.invalidate(core.epochs)
            for query in queries { query.removeAll() }
        }
        // Before values are loaded again, so that the store keeps these.
        let removal = core.tier?.removeAll()
        refreshInvalidated()
        if let removal { try await core.tier?.waitForEnd(of: removal) }
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
