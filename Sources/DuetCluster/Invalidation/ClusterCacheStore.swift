import Duet
public import DuetCaching
import DuetContext
public import Foundation

/// Keeps values of queries in the cluster's shared cache, so that a value that one node has loaded serves all nodes.
///
/// ```swift
/// let shared = ClusterCacheStore(cluster)
/// let cached = try remote.caching(in: .memory(limit: .entries(1_000)).backed(by: shared)) {
///     Cache(LoadTalk.self, .maxAge(.minutes(5))).stored(version: 1)
///     Invalidate(LoadTalk.self, after: RateTalk.self) { query, command in query.id == command.id }
/// }
/// let invalidation = cluster.invalidation(of: cached.cache) { Talks.messages }
/// ```
///
/// Use one store for each cache. It serves values only while the cache is connected, by ``ClusterInvalidation`` or as a
/// cache of a ``ClusterWorker``, because an invalidation of another node must reach it. Each value has the position of
/// the events that its node had followed when its load began, and is served only if no later event has made it stale.
/// A node that has just started does not serve values from before its start.
public final class ClusterCacheStore: CacheStore {
    private let cache: any SharedCache
    private let backplane: any Backplane
    private let lifetime: Duration
    private let now: @Sendable () -> Date
    private let state = Monitor(State())

    private struct State: Sendable {
        var validity = CacheValidity()
        /// Whether a task publishes markers, so that invalidations of this node get their positions.
        var isPublishing = false
        /// Why that task has ended while invalidations were without a position.
        var failure: (any Error)?
    }

    /// Creates a store in the shared cache of a cluster.
    ///
    /// - Parameters:
    ///   - engine: The connection to the cluster.
    ///   - lifetime: The time after which a value is removed, if it is not unusable before.
    ///   - now: Returns the current date.
    public init(
        _ engine: any ClusterEngine,
        lifetime: Duration = .seconds(3_600),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        cache = engine.sharedCache
        backplane = engine.backplane
        self.lifetime = lifetime
        self.now = now
    }

    // MARK: Values

    /// Returns the value of a key, unless an event has made it stale.
    public func value(for key: CacheKey) async throws -> StoredValue? {
        // Before the value is read, so that an invalidation in between is newer.
        guard let (writer, epoch) = state.read(\.validity.current), let entry = try await cache.entry(for: key.text),
            let stored = SharedValue(entry.envelope),
            state.read({ $0.validity.isValid(key, tags: stored.value.tags, position: stored.position) })
        else { return nil }
        // The value is as valid as one that this cache loaded in the epoch.
        return StoredValue(
            bytes: stored.value.bytes,
            loaded: stored.value.loaded,
            usableUntil: stored.value.usableUntil,
            tags: stored.value.tags,
            writer: writer,
            epoch: epoch
        )
    }

    /// Stores a value, unless an event has made it stale, or the shared cache has a newer one.
    public func insert(_ value: StoredValue, for key: CacheKey) async throws {
        guard let position = state.read({ $0.validity.position(ofEpoch: value.epoch) }) else { return }
        let existing = try await cache.entry(for: key.text)
        if let existing, let other = SharedValue(existing.envelope), other.position > position { return }
        var lifetime = lifetime
        if let end = value.usableUntil {
            // No duration has as many seconds as a date may be away.
            let seconds = end.timeIntervalSince(now())
            guard seconds > 0 else { return }
            if seconds < Double(lifetime.components.seconds) { lifetime = .seconds(seconds) }
        }
        guard lifetime > .zero else { return }
        let envelope = SharedValue(value: value, position: position).envelope
        // If another node was faster, its value is as good.
        _ = try await cache.insert(envelope, for: key.text, lifetime: lifetime, ifRevision: existing?.revision ?? 0)
    }

    // MARK: Removing

    /// Returns no keys, because the shared cache is not searched.
    public func keys(ofQuery name: String) async throws -> [CacheKey] { [] }

    /// Removes values.
    public func remove(_ keys: [CacheKey]) async throws {
        try await invalidate(.keys(Set(keys)))
        for key in keys { try await cache.remove(key.text) }
    }

    /// Serves none of these values anymore that were loaded before.
    public func remove(ofQuery name: String, where isMeant: @escaping @Sendable (CacheKey) -> Bool) async throws {
        try await invalidate(.some(query: name, isMeant))
    }

    /// Serves no value of a query anymore that was loaded before.
    public func removeAll(ofQuery name: String) async throws { try await invalidate(.query(name)) }

    /// Serves no value with a tag anymore that was loaded before.
    public func removeAll(tagged tag: String) async throws { try await invalidate(.tag(tag)) }

    /// Does nothing, because the shared cache removes expired values.
    public func removeExpired(at date: Date) async throws {}

    /// Serves no value anymore that was loaded before.
    public func removeAll() async throws { try await invalidate(.everything) }

    private func invalidate(_ values: InvalidValues) async throws {
        if let position = AppliedEvent.position {
            // All nodes carry out this event.
            return state.update { $0.validity.invalidate(values, before: position) }
        }
        // This node has changed something. Values that others load before they know are not served here.
        let id = state.update { $0.validity.beginInvalidation(values) }
        publishMarkers()
        let failure = try await state.wait { state -> (any Error)?? in
            guard state.validity.isPending(id) else { return .some(nil) }
            return state.isPublishing ? nil : .some(state.failure)
        }
        if let failure { throw failure }
    }

    /// Gives invalidations their positions, in a separate task: a canceled caller would leave them without one, and
    /// this node would never serve their values again.
    private func publishMarkers() {
        let isIdle = state.update { state in
            guard !state.isPublishing, state.validity.lastPendingID != nil else { return false }
            state.isPublishing = true
            return true
        }
        guard isIdle else { return }
        Task { [state, backplane] in
            while let id = state.update({ state in
                state.isPublishing = state.validity.lastPendingID != nil
                return state.validity.lastPendingID
            }) {
                do {
                    let position = try await backplane.publish(ClusterEvent.markerEnvelope)
                    state.update { $0.validity.endInvalidations(through: id, before: position) }
                } catch {
                    // Without a connection nothing is served, and ``note(_:by:isGap:)`` tries again.
                    let isRetried = state.update { state in
                        state.isPublishing = state.validity.current != nil
                        state.failure = error
                        return state.isPublishing
                    }
                    guard isRetried else { return }
                    try? await ContinuousClock().sleep(for: .milliseconds(200))
                }
            }
        }
    }

    // MARK: Events

    /// Notes that the cache has carried out an event, or has been emptied because events were missed.
    func note(_ position: UInt64, by cache: QueryCache, isGap: Bool) {
        guard let writer = cache.storeWriter else { return }
        let isBehind = state.update { state in
            if isGap { state.validity.invalidate(.everything, before: position) }
            state.validity.note(position, epoch: cache.epoch, of: writer)
            return state.validity.lastPendingID != nil
        }
        if isBehind { publishMarkers() }
    }

    func disconnect() { state.update { $0.validity.reset() } }
}

/// The event that is being carried out.
enum AppliedEvent {
    /// Its position; nil outside of one.
    @TaskLocal static var position: UInt64?
}

/// A value with the position of its load, as the shared cache keeps it.
private struct SharedValue {
    let value: StoredValue
    let position: UInt64

    init(value: StoredValue, position: UInt64) {
        self.value = value
        self.position = position
    }

    init?(_ envelope: Envelope) {
        let headers = envelope.headers
        guard envelope.isReadable,
            let position = headers[Header.sequence].flatMap(UInt64.init),
            let description = headers["Duet-Value"].map({ Data($0.utf8) }),
            ForeignText.fault(inJSON: description) == nil,
            let details = try? JSONDecoder().decode(Details.self, from: description),
            details.tags.allSatisfy({ $0.utf8.count <= 1_024 }),
            [details.loaded, details.usableUntil ?? details.loaded].allSatisfy(Self.isPlausible)
        else { return nil }
        self.position = position
        value = StoredValue(
            bytes: envelope.body,
            loaded: details.loaded,
            usableUntil: details.usableUntil,
            tags: details.tags,
            writer: details.writer,
            epoch: details.epoch
        )
    }

    /// Whether a date is within ten thousand years, so that calculations with it have results.
    private static func isPlausible(_ date: Date) -> Bool { abs(date.timeIntervalSince1970) < 315_576_000_000 }

    var envelope: Envelope {
        let details = Details(
            loaded: value.loaded,
            usableUntil: value.usableUntil,
            tags: value.tags,
            writer: value.writer,
            epoch: value.epoch
        )
        let text = (try? JSONEncoder().encode(details)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return Envelope(headers: [Header.sequence: String(position), "Duet-Value": text], body: value.bytes)
    }

    private struct Details: Codable {
        let loaded: Date
        let usableUntil: Date?
        let tags: [String]
        let writer: UUID
        let epoch: Int
    }
}

extension CacheKey {
    /// The key as text.
    fileprivate var text: String {
        "\(query) \(version) \(Data((scope ?? "").utf8).base64EncodedString()).\(scope == nil ? 0 : 1) "
            + encodedQuery.base64EncodedString()
    }
}
