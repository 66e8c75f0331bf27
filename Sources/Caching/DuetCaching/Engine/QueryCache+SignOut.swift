extension QueryCache {
    /// Signs a user out, so that nothing of the user is loaded, sent or found again.
    ///
    /// The steps are taken in the order of the parameters, and each one also if an earlier one has failed. The last
    /// step is ``removeAll()``.
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
        await take { try await queue?.removeAll() }
        await take { try await removeAll() }
        if let failure { throw failure }
    }
}
