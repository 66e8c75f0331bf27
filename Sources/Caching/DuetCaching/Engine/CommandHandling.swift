import Duet

/// Carries out the rules of a command, before and after its dispatch.
final class CommandHandling<C: Command>: CacheHandling {
    func dispatch(_ command: C, next: some Dispatcher, in cache: QueryCache) async throws {
        let change = CommandChange(command, in: cache)
        let version = CommandVersion(offering: change)
        do {
            try await version.reached { try await next.dispatch(command) }
            if !version.isTakenOver { await change.end(.sent(version.value)) }
        } catch {
            if !version.isTakenOver { await change.end(.failed) }
            throw error
        }
    }
}

/// A command whose changes a cache shows until it ends.
struct CommandChange: ShownCommand {
    let command: any Command
    private let updates: [CommandUpdateID]
    private weak let cache: QueryCache?

    init(_ command: some Command, in cache: QueryCache) {
        self.command = command
        self.cache = cache
        updates = cache.beginUpdates(by: command)
    }

    var follower: (any QueueFollower)? { cache }

    func end(_ end: CommandEnd) async {
        guard let cache else { return }
        switch end {
        case .sent(let version): await cache.invalidate(after: command, confirming: updates, version)
        case .gone: await cache.invalidate(after: command, confirming: updates, isCertain: false)
        case .refused: for update in updates { update.end() }
        case .failed:
            for update in updates { update.end() }
            // A failed or canceled command may have done its work.
            await cache.invalidate(after: command)
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
