import Duet

/// Carries out the rules of a command, before and after its dispatch.
final class CommandHandling<C: Command>: CacheHandling {
    private let isAnswered = C.self is any AnsweredCommand.Type

    func dispatch(_ command: C, next: some Dispatcher, in cache: QueryCache) async throws {
        if isAnswered, let command = command as? any AnsweredCommand {
            return try await cache.carryOut(command, next: next)
        }
        try await cache.carryOut(CommandChange(command, in: cache)) { try await next.dispatch(command) }
    }
}

extension QueryCache {
    /// Whether the values of the query that answers a command are cached.
    func hasAnswer<C: AnsweredCommand>(of command: C) -> Bool { cached(C.Answer.self) != nil }

    /// The values of the query that answers a command, for caches that do not know the command.
    func answerInvalidation<C: AnsweredCommand>(after command: C) -> Invalidation? {
        hasAnswer(of: command) ? .query(name: C.Answer.messageName) : nil
    }

    /// Invalidates the value that answers a command, if the command itself tells its query.
    func invalidateAnswer<C: AnsweredCommand>(of command: C) {
        guard let cached = cached(C.Answer.self), let query = command.answer(from: nil) else { return }
        cached.invalidate { $0 == query }
    }

    /// Dispatches a command that has no rule, if its end concerns this cache nevertheless.
    func carryOutWithoutRules<C: Command>(_ command: C, next: some Dispatcher) async throws -> Bool {
        if let command = command as? any AnsweredCommand, hasAnswer(of: command) {
            try await carryOut(command, next: next)
        } else if core.data.isTracking {
            try await CommandHandling<C>().dispatch(command, next: next, in: self)
        } else {
            return false
        }
        return true
    }

    /// Dispatches a command whose answer this cache may have, or get with the response.
    func carryOut<C: AnsweredCommand>(_ command: C, next: some Dispatcher) async throws {
        let renewal = AnswerRenewal(of: command, in: self, from: next)
        try await carryOut(CommandChange(command, in: self, renewal)) {
            try await renewal.answer.noted { try await next.dispatch(command) }
        }
        withExtendedLifetime(renewal) {}
    }

    fileprivate func carryOut(_ change: CommandChange, by dispatch: () async throws -> Void) async throws {
        let version = CommandVersion(offering: change)
        do {
            try await version.reached { try await change.tracked(by: core, dispatch) }
            if !version.isTakenOver { await change.end(.sent(version.value)) }
        } catch {
            if !version.isTakenOver { await change.end(error is QueuedAnswer ? .refused : .failed) }
            throw error
        }
    }
}

/// A command whose changes a cache shows until it ends.
struct CommandChange: ShownCommand {
    let command: any Command
    private let updates: [CommandUpdateID]
    /// Nil after the dispatch, also in a queue.
    private weak let renewal: (any AnswerRenewing)?
    private weak let cache: QueryCache?

    init(_ command: some Command, in cache: QueryCache, _ renewal: (any AnswerRenewing)? = nil) {
        self.command = command
        self.renewal = renewal
        self.cache = cache
        updates = cache.beginUpdates(by: command)
    }

    var follower: (any QueueFollower)? { cache }

    /// Dispatches the command as the one that writes what the current task writes.
    func tracked(by core: CacheCore, _ dispatch: () async throws -> Void) async throws {
        guard core.data.isTracking else { return try await dispatch() }
        let use = DataUse(.command(command))
        noteAttempt(use, isRunning: true)
        defer {
            use.end()
            noteAttempt(use, isRunning: false)
        }
        try await use.run(dispatch)
    }

    func noteAttempt(_ use: DataUse, isRunning: Bool) {
        if !updates.isEmpty { cache?.core.setShown(isRunning ? updates : nil, of: use) }
    }

    func end(_ end: CommandEnd) async {
        guard let cache else { return }
        switch end {
        case .sent(let version): await cache.invalidate(after: command, confirming: updates, version, renewal)
        case .gone: await cache.invalidate(after: command, confirming: updates, isCertain: false, nil, renewal)
        case .refused: for update in updates { update.end() }
        case .failed:
            for update in updates { update.end() }
            // A failed or canceled command may have done its work.
            await cache.invalidate(after: command, isCertain: false, nil, renewal)
        }
    }
}

extension QueryCache: QueueFollower {
    func show(_ command: any Command) -> any ShownCommand { CommandChange(command, in: self) }

    func noteSent(_ command: any Command) {
        applyRules(of: command, confirming: beginUpdates(by: command))
        refreshInvalidated()
        core.invalidations.publish(.command(command))
    }
}
