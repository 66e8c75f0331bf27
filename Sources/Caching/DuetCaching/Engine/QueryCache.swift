public import Duet
public import Foundation

/// Caches the values of queries by rules about their age and about the commands that make them stale.
///
/// Neither a query nor its handler knows about the cache. The cache is middleware, and wraps any dispatcher:
///
/// ```swift
/// let cache = try QueryCache(in: .memory(limit: .entries(10_000))) {
///     Cache(LoadFeed.self, .maxAge(.days(7)).staleWhileRevalidate(.minutes(5)))
///     Cache(LoadComments.self, .maxAge(.seconds(10)))
///     Invalidate(LoadFeed.self, after: PublishImage.self, RemoveImage.self)
///     Invalidate(LoadComments.self, after: PostComment.self) { query, command in query.imageID == command.imageID }
/// }
/// let dispatcher = remote.caching(with: cache)
/// ```
///
/// An invalidation always wins over a load. A value whose load began before an invalidation completed is neither stored
/// nor returned to later callers.
public final class QueryCache: Sendable {
    /// All rules, in the order of the list.
    public let rules: [CacheRule]

    let core: CacheCore
    let queries: [any AnyCachedQuery]
    private let routes: TypeTable
    /// The actions of the rules after each command.
    private let actions: [ObjectIdentifier: [Invalidate.Action]]
    /// The values that rules with a condition list for each command.
    let narrowing: [ObjectIdentifier: Narrowing]
    /// The changes that each command makes before it has ended.
    private let updates: [ObjectIdentifier: [OptimisticUpdate.Action]]
    private let storeUse: StoreUse?
    #if canImport(Darwin)
        private let memoryPressure: MemoryPressure?
    #endif

    /// Creates a cache, and checks its rules.
    ///
    /// - Parameters:
    ///   - memory: The memory and the store of the values.
    ///   - sources: The sources of the handlers' data. A write makes the values stale that were made from it.
    ///   - now: Returns the current date.
    ///   - clock: Measures timeouts and intervals.
    ///   - random: Returns a number from 0 to 1, for the jitter of policies.
    ///   - id: Identifies this cache among those that use the same store.
    ///   - rules: The rules, one per line.
    /// - Throws: ``InvalidCacheRules`` with every fault.
    public init(
        in memory: CacheMemory,
        tracking sources: [any TrackedSource] = [],
        now: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        id: UUID = UUID(),
        @ListBuilder<CacheRule> _ rules: () -> [CacheRule]
    ) throws(InvalidCacheRules) {
        let rules = rules()
        let caches = rules.compactMap { if case .cache(let rule) = $0.kind { rule } else { nil } }
        let invalidations = rules.compactMap { if case .invalidate(let rule) = $0.kind { rule } else { nil } }
        let updates = rules.compactMap { if case .update(let rule) = $0.kind { rule } else { nil } }
        let (storeUse, namingFaults) = StoreUse.begin(memory, caches)
        let faults = InvalidCacheRules(
            caches: caches,
            invalidations: invalidations,
            updates: updates,
            memory: memory,
            tracking: Dictionary(sources.map { (ObjectIdentifier($0.tracker), $0.tracker.name) }) { $1 }.map(\.value),
            others: DuetCaching.namingFaults(of: rules.flatMap(\.messages)) + namingFaults
        )
        if let faults { throw faults }
        self.storeUse = storeUse

        let core = CacheCore(
            memory,
            graces: caches.map(\.grace),
            now: now,
            clock: clock,
            random: random,
            id: id
        )
        let made = caches.enumerated().map { $1.makeQuery($0, core) }
        var entries = zip(caches, made).map { (type: $0.query, object: $1.1) }
        entries += Invalidate.routes(of: invalidations)
        actions = Invalidate.actions(of: invalidations)
        let indices = Dictionary(caches.enumerated().map { ($1.query, $0) }) { first, _ in first }
        narrowing = Narrowing.of(invalidations, indices)
        self.updates = Dictionary(grouping: updates, by: \.command.id).mapValues { $0.map(\.action) }
        self.rules = rules
        self.core = core
        queries = made.map(\.0)
        routes = TypeTable(entries)
        #if canImport(Darwin)
            memoryPressure = MemoryPressure { [queries] in for query in queries { query.removeUnobserved() } }
        #endif
        track(sources)
        core.setEvicting { [weak self] in self?.queries[$0.queryIndex].evict($0) }
    }

    /// The number of values in memory.
    public var count: Int { core.order.size.count }

    /// The number of sequences that observe values.
    package var observerCount: Int { queries.reduce(0) { $0 + $1.observerCount } }

    func anyQuery<Q: Query>(_ query: Q.Type) -> (any AnyCachedQuery)? { route(query) as? any AnyCachedQuery }

    func cached<Q>(_ query: Q.Type) -> CachedQuery<Q>? {
        // Only this object handles a query.
        route(query).map { unsafe unsafeDowncast($0, to: CachedQuery<Q>.self) }
    }

    @inline(__always)
    private func route<M: Message>(_ message: M.Type) -> (any CacheHandling<M>)? {
        guard let object = unsafe routes.unretained(ObjectIdentifier(message)) else { return nil }
        // The table stores each route under the type of its message, so this one is a `CacheRoute<M>`.
        return unsafe unsafeDowncast(object.takeUnretainedValue(), to: CacheRoute<M>.self).handling
    }
}

// MARK: Reading

extension QueryCache {
    /// Returns the fresh value of a query in memory without waiting, or nil.
    ///
    /// A screen can show it in its first frame, before it dispatches the query. The layers around the cache do not see
    /// it.
    @inlinable
    public func peek<Q: Query & Hashable>(_ query: Q) -> Q.Value? where Q.Value: Sendable {
        guard let entry = freshEntry(of: query) else { return nil }
        return value(of: entry, for: Q.self)
    }

    @usableFromInline
    func freshEntry<Q: Query>(of query: Q) -> AnyObject? { route(Q.self)?.hit(query) }

    @usableFromInline
    func value<Q: Query & Hashable>(of entry: AnyObject, for query: Q.Type) -> Q.Value where Q.Value: Sendable {
        // The table of a query contains only its entries.
        unsafe unsafeDowncast(entry, to: Entry<Q>.self).value
    }
}

// MARK: Invalidating

extension QueryCache {
    /// Invalidates all values of a query.
    ///
    /// Nothing happens for a query that is not cached.
    public func invalidate<Q: Query & Hashable>(_ query: Q.Type) where Q.Value: Sendable {
        apply(.query(name: Q.messageName))
        core.invalidations.publish(.query(name: Q.messageName))
    }

    /// Invalidates the values of some queries.
    ///
    /// Subscribers of ``invalidations`` invalidate all values of the query.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - isLocal: Whether the values are stale only in this cache, so that ``invalidations`` does not report it.
    ///   - isStale: Whether the value of a query is stale. It must not use the cache.
    public func invalidate<Q: Query & Hashable>(
        _ query: Q.Type,
        isLocal: Bool = false,
        where isStale: @escaping @Sendable (Q) -> Bool
    ) where Q.Value: Sendable {
        let query = cached(query)
        invalidating { _ in query?.invalidate(where: isStale) }
        refreshInvalidated()
        if !isLocal { core.invalidations.publish(.query(name: Q.messageName)) }
    }

    /// Invalidates the values with a tag, in constant time.
    public func invalidate(tag: String) {
        apply(.tag(tag))
        core.invalidations.publish(.tag(tag))
    }

    /// Invalidates all values.
    public func invalidateAll() {
        apply(.everything)
        core.invalidations.publish(.everything)
    }

    /// Waits until the store has all values that were loaded so far, and all marks, or has failed.
    ///
    /// Marks that have failed are tried again. A mark has no time limit, so give a store that may hang a deadline:
    /// `withTimeout`. Call this before the process ends, so that the next launch finds the latest values.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func flush() async throws {
        try await core.tier?.waitUntilIdle()
    }

    /// The invalidations of this cache from now on, for other caches of the same values.
    ///
    /// ```swift
    /// let invalidations = cache.invalidations
    /// let connection = Task {
    ///     for await invalidation in invalidations { elsewhere.cache.apply(invalidation) }
    /// }
    /// ```
    ///
    /// Invalidations that were received with ``apply(_:)`` are not repeated.
    public var invalidations: AsyncStream<Invalidation> { core.invalidations.stream { _ in true } }

    /// Some of the ``invalidations``, which a closure selects in the task that invalidates.
    package func invalidations(
        where isIncluded: @escaping @Sendable (Invalidation) -> Bool
    ) -> AsyncStream<Invalidation> {
        core.invalidations.stream(where: isIncluded)
    }

    /// Makes each read of a cached value wait first; nil for no longer.
    package func setReadBarrier(_ wait: (@Sendable (_ query: String) async throws -> Void)?) { core.barrier.set(wait) }

    /// Carries out an invalidation of another cache.
    public func apply(_ invalidation: Invalidation) { apply(invalidation, nil) }

    /// Carries out an invalidation of another cache, which has led to a version there.
    package func apply(_ invalidation: Invalidation, _ version: CacheVersion?) {
        refreshInvalidated(invalidating(version) { _ in invalidate(invalidation) })
    }

    /// Carries out rules or an invalidation, and notes the loads of the current task that it concerns.
    ///
    /// - Parameters:
    ///   - version: The version that it has led to elsewhere, which later loads must have.
    ///   - body: Is called with the epoch before.
    @discardableResult
    func invalidating(
        by command: String? = nil,
        _ version: CacheVersion? = nil,
        _ body: (_ start: Epoch) -> Void
    ) -> Requirement? {
        let chain = LoadChain.current
        let valid = chain?.validLoads ?? []
        defer { chain?.noteInvalidation(by: command, of: valid) }
        return core.applyRules(version) {
            let start = core.epochs.current
            body(start)
            return require(version, since: start)
        }
    }

    /// Requires a version of the values that were invalidated since an epoch.
    func require(_ version: CacheVersion?, since start: Epoch) -> Requirement? {
        let requirement = version.map { Requirement(version: $0, start: start, end: core.epochs.current) }
        if let requirement { for query in queries { query.require(requirement) } }
        return requirement
    }

    /// The values that the rules of a command invalidate, for caches that do not have these rules.
    ///
    /// A rule with a condition invalidates all values of its query there.
    package func invalidations(after command: any Command) -> [Invalidation] {
        let answer = (command as? any AnsweredCommand).flatMap { answerInvalidation(after: $0) }
        return [answer].compactMap(\.self)
            + rules.flatMap { rule -> [Invalidation] in
                guard case .invalidate(let rule) = rule.kind,
                    rule.commands.contains(where: { $0.id == ObjectIdentifier(type(of: command)) })
                else { return [] }
                return rule.values(command)
            }
    }

    /// Invalidates values without loading those that are observed.
    func invalidate(_ invalidation: Invalidation) {
        switch invalidation {
        case .everything: core.invalidateEverything()
        case .tag(let tag): core.invalidate(tag)
        case .query(let name):
            for query in queries where query.name == name { query.invalidateAll() }
        case .command(let command): applyRules(of: command)
        }
    }

    /// Carries out the rules of a command.
    ///
    /// No load begins between the epoch and the end of the rules that is not marked as outdated.
    ///
    /// - Parameters:
    ///   - updates: The changes that the next loads contain.
    ///   - isCertain: Whether the command has succeeded.
    ///   - version: The version that the command has led to elsewhere.
    ///   - renewal: The answer of the command.
    /// - Returns: The version that observed values must have.
    @discardableResult
    func applyRules(
        of command: any Command,
        confirming updates: [CommandUpdateID] = [],
        isCertain: Bool = true,
        _ version: CacheVersion? = nil,
        _ renewal: (any AnswerRenewing)? = nil
    ) -> Requirement? {
        invalidating(by: type(of: command).messageName, version) { start in
            let epoch = updates.isEmpty ? start : core.epochs.next()
            for action in actions[ObjectIdentifier(type(of: command))] ?? [] { action(command, self) }
            if let command = command as? any AnsweredCommand { invalidateAnswer(of: command) }
            renewal?.invalidate()
            let success = CommandSuccess(epoch: epoch, isCertain: isCertain, version: version)
            for update in updates { update.confirm(by: success) }
        }
    }

    /// Loads invalidated values that are observed.
    ///
    /// This happens after all rules, because one value may be computed from another.
    ///
    /// - Parameter requirement: The version that the values must have, which may be reported.
    func refreshInvalidated(_ requirement: Requirement? = nil) {
        for query in queries { query.refreshInvalidated(requirement) }
    }

    /// Carries out the rules of a command that was dispatched here.
    ///
    /// Waits until the store has marked and changed the invalidated values, or has failed.
    func invalidate(
        after command: some Command,
        confirming updates: [CommandUpdateID] = [],
        isCertain: Bool = true,
        _ version: CacheVersion? = nil,
        _ renewal: (any AnswerRenewing)? = nil
    ) async {
        let requirement = applyRules(of: command, confirming: updates, isCertain: isCertain, version, renewal)
        // Before observers begin to load the value.
        if isCertain { renewal?.load(after: version) }
        // Counted also if nothing was invalid, so that earlier values have earlier versions.
        CommandVersion.current?.note(core.version(at: core.epochs.next()))
        refreshInvalidated(requirement)
        core.invalidations.publish(.command(command))
        await core.tier?.waitForChanges()
    }

    /// Shows the changes that a command will make to observed values.
    func beginUpdates(by command: some Command) -> [CommandUpdateID] {
        (updates[ObjectIdentifier(type(of: command))] ?? []).compactMap { $0(command, self) }
    }

    /// Loads all observed values again.
    ///
    /// Call this when the application becomes active, and when the connection is back.
    public func refreshObserved() {
        for query in queries { query.refreshObserved() }
    }
}

// MARK: Dispatching

extension QueryCache: Middleware {
    /// Serves a query from the cache, or forwards a message and carries out its rules.
    ///
    /// - Throws: The error of `next`; ``/Duet/NotCached``; ``CacheTimeout``.
    @inline(__always)
    public func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        guard let handling = route(M.self) else { return try await forward(message, to: next) }
        if let reading = Reading.take(of: message) {
            return try await handling.read(message, reading, next: next, in: self)
        }
        if core.barrier.isNeeded, M.self is any Query.Type { try await core.barrier.pass(for: M.messageName) }
        if let entry = handling.hit(message) { return handling.value(of: entry) }
        return try await handling.dispatch(message, next: next, in: self)
    }

    /// Forwards a message without a rule.
    ///
    /// The value of a query has the version of this cache when its handling began, and a command leads to a new one,
    /// unless a cache behind this one has handled it.
    private func forward<M: Message>(_ message: M, to next: some Dispatcher) async throws -> M.Value {
        let reading = Reading.current(of: M.self)
        let version = reading.map { _ in core.version }
        if M.Value.self == Void.self, let command = message as? any Command, let done = () as? M.Value,
            try await carryOutWithoutRules(command, next: next)
        {
            return done
        }
        let value = try await next.dispatch(message)
        if let reading, reading.version == nil {
            reading.note(version)
        } else if let reached = CommandVersion.current, M.self is any Command.Type {
            // A handler may have sent other commands through this cache.
            if reached.value.map({ $0.cache == core.versionID }) ?? true {
                reached.note(core.version(at: core.epochs.next()))
            }
        }
        return value
    }

    /// Whether the query has a ``Cache`` rule, or `next` reports its changes.
    public func isLive<Q: Query>(_ query: Q.Type, next: some Dispatcher) -> Bool {
        anyQuery(query) != nil || next.isLive(query)
    }

    /// Returns the value of a query and its changes; those of `next` for a query without a ``Cache`` rule.
    public func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        guard let handling = route(Q.self) else { return next.updates(of: query) }
        return handling.updates(of: query, from: next) as? QueryStates<Q.Value>
    }
}

extension QueryCache: ValuePassing {
    package func passage<Q: Query>(of query: Q.Type) -> ValuePassage { anyQuery(query) == nil ? .preserved : .kept }
}

extension Invalidate {
    /// The actions of all rules by command.
    fileprivate static func actions(of rules: [Invalidate]) -> [ObjectIdentifier: [Action]] {
        var actions: [ObjectIdentifier: [Action]] = [:]
        for rule in rules { for command in rule.commands { actions[command.id, default: []].append(rule.action) } }
        return actions
    }

    /// The routes of the commands that have rules.
    fileprivate static func routes(of rules: [Invalidate]) -> [(
        type: ObjectIdentifier, object: any AnyObject & Sendable
    )] {
        let routes = rules.flatMap(\.commands).map { ($0.id, $0.route) }
        return Dictionary(routes) { first, _ in first }.map { (type: $0.key, object: $0.value) }
    }
}
