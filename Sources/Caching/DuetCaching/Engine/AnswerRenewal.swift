import Duet

/// Renews the cached value that answers a command from the response to the command.
protocol AnswerRenewing: AnyObject, Sendable {
    /// Invalidates the value, with the rules of the command.
    func invalidate()

    /// Loads the value, if the response holds it.
    ///
    /// - Parameter version: The version that the command has led to elsewhere.
    func load(after version: CacheVersion?)
}

final class AnswerRenewal<C: AnsweredCommand, Next: Dispatcher>: AnswerRenewing {
    let answer = CommandAnswer<C>()
    private let command: C
    private let cached: CachedQuery<C.Answer>?
    private let next: Next
    private let core: CacheCore
    /// The invalidations that had begun when the command was sent.
    private let start: PassedInvalidations

    init(of command: C, in cache: QueryCache, from next: Next) {
        self.command = command
        self.next = next
        cached = cache.cached(C.Answer.self)
        core = cache.core
        start = core.passed
    }

    func invalidate() {
        // A query that the command itself tells is invalidated by each cache that the command reaches.
        guard let cached, let query = answer.knownQuery(of: command), query != command.answer(from: nil) else { return }
        cached.invalidate { $0 == query }
        core.invalidations.publish(.query(name: C.Answer.messageName))
    }

    func load(after version: CacheVersion?) {
        guard let cached, let query = answer.knownQuery(of: command), let response = answer.takeResponse(to: query),
            response.holdsValue
        else { return }
        let source = response.version
        // The command itself is one.
        let own = source.map { $0.cache == version?.cache } == true ? 0 : 1
        response.addLateness { [core, start] in
            core.passed.number(notComparableTo: source) > start.number(notComparableTo: source) + own
        }
        guard !response.isLate else { return }
        let offer = AnswerOffer(response, of: query)
        guard let load = offer.begin({ cached.renew(query, source, from: next) }) else { return offer.close() }
        Task { [core] in
            _ = await load.result(core.clock)
            offer.close()
        }
    }
}

/// The number of invalidations of a cache, and of those whose effects the versions of a cache elsewhere tell.
struct PassedInvalidations {
    private var count = 0
    private var comparable: [UInt64: Int] = [:]

    mutating func add(_ version: CacheVersion?) {
        count += 1
        // Less than all may be comparable.
        if comparable.count >= 64 { comparable = [:] }
        if let version { comparable[version.cache, default: 0] += 1 }
    }

    /// The number of those that a version tells nothing about.
    func number(notComparableTo version: CacheVersion?) -> Int {
        count - (version.flatMap { comparable[$0.cache] } ?? 0)
    }
}
