import Duet

/// The cached value that answers a command.
protocol AnswerRenewing: Sendable {
    /// Invalidates the value, with the rules of the command.
    func invalidate()

    /// Loads the value, if the response to the command holds it.
    func load()
}

struct AnswerRenewal<C: AnsweredCommand, Next: Dispatcher>: AnswerRenewing {
    let answer = CommandAnswer<C>()
    private let command: C
    private let cached: CachedQuery<C.Answer>?
    private let next: Next
    private let core: CacheCore
    /// The number of invalidations that had begun when the command was sent.
    private let begun: Int

    init(of command: C, in cache: QueryCache, from next: Next) {
        self.command = command
        self.next = next
        cached = cache.cached(C.Answer.self)
        core = cache.core
        begun = core.begun
    }

    func invalidate() {
        guard let query = answer.knownQuery(of: command) else { return }
        cached?.invalidate(query)
    }

    func load() {
        guard let cached, let query = answer.knownQuery(of: command), let response = answer.response(to: query) else {
            return
        }
        // The command itself is one.
        response.addLateness { [core, begun] in core.begun != begun + 1 }
        guard !response.isLate, let offer = answer.offer(of: query) else { return }
        guard let load = offer.begin({ cached.renew(query, from: next) }) else { return offer.close() }
        Task { [core] in
            _ = await load.result(core.clock)
            offer.close()
        }
    }
}
