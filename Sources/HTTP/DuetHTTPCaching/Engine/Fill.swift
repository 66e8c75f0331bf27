import DuetHTTP
import Foundation

/// Stores one response while its body arrives.
struct Fill: Sendable {
    private let response: StoredResponse
    /// The stored part that the response completes.
    private let completed: HTTPCacheEntry.ID?
    private let request: CacheRequest
    private let engine: CacheEngine
    /// The size of the largest body that the store takes beside the head; nil if unknown.
    private let room: Int64?
    private let writer: any HTTPCacheWriter
    private(set) var count: Int64 = 0
    private var hasFailed = false

    /// Begins to store a response; nil if the store does not take it.
    init?(
        of response: StoredResponse,
        completing completed: HTTPCacheEntry.ID? = nil,
        to request: CacheRequest,
        in engine: CacheEngine
    ) async {
        guard engine.store.storable(response) != nil,
            let writer = await engine.store.writer(for: request.key, length: response.announcedLength)
        else { return nil }
        self.response = response
        self.completed = completed
        self.request = request
        self.engine = engine
        self.writer = writer
        room = engine.largestResponse.map { $0 - response.approximateSize - request.key.size }
    }

    mutating func append(_ piece: Data) async {
        count += Int64(piece.count)
        guard !hasFailed else { return }
        hasFailed = await !engine.store.append(piece, to: writer)
    }

    /// Why a body will not be stored, as far as that is known before it arrives.
    func refusal(of count: Int64?) -> NotStored? {
        guard engine.epochs.isCurrent(request.epoch) else { return .outdated }
        guard let count else { return nil }
        if let room, count > room { return .store }
        return response.received(count, completely: true) == nil ? .incomplete : nil
    }

    /// Whether nothing is known yet that prevents storing.
    var mayBeStored: Bool { !hasFailed && count <= room ?? .max && engine.epochs.isCurrent(request.epoch) }

    /// Stores the response as far as it has arrived.
    ///
    /// - Returns: Why it is not stored, or nil.
    func finish(completely: Bool) async -> NotStored? {
        guard let result = response.received(count, completely: completely) else { return await discard(.incomplete) }
        guard !hasFailed else {
            await engine.removeOutdated(by: response.response, request)
            return await discard(.store)
        }
        guard let storable = engine.store.storable(result) else { return await discard(.secret) }
        guard engine.epochs.beginCommit(request.epoch) else { return await discard(.outdated) }
        defer { engine.epochs.endCommit(request.epoch) }
        let entries = await engine.store.entries(for: request.key)
        let outdated = entries.filter { result.replaces($0.response) || $0.id == completed }
        for entry in outdated {
            if entry.id != completed, result.isOvertaken(by: entry.response) { return await discard(.outdated) }
            if case .part = result.content,
                entry.response.holdsMore(than: result.content.range, of: result.fields.entityTag)
            {
                return await discard(.range)
            }
        }
        var replaced = Set(outdated.map(\.id))
        var others = entries.filter { !replaced.contains($0.id) }
        while others.count >= max(1, engine.configuration.variantLimit), let oldest = others.popLast() {
            replaced.insert(oldest.id)
        }
        guard let entry = await engine.store.commit(storable, to: writer, replacing: replaced.sorted()) else {
            await engine.removeOutdated(by: response.response, request)
            return .store
        }
        engine.counters.countStored(entry.response.content.range.length)
        return nil
    }

    /// Stores nothing, and removes the part that was to be completed: an origin that sends too much would do so again.
    func refuse() async -> NotStored? {
        if let completed { await engine.store.remove([completed]) }
        return await discard(.incomplete)
    }

    /// Stores nothing.
    func discard() async { await engine.store.discard(writer) }

    private func discard(_ reason: NotStored) async -> NotStored? {
        await discard()
        return reason
    }
}

extension StoredResponse {
    /// Whether the other arrived later and is preferred to this one.
    fileprivate func isOvertaken(by other: StoredResponse) -> Bool {
        other.isMoreRecent(than: self) && other.times.received >= times.received
    }

    /// Whether it holds more of the same representation than a part, which must not replace it.
    func holdsMore(than part: Range<Int64>, of tag: EntityTag?) -> Bool {
        guard let own = fields.entityTag, let tag else { return false }
        return own.matchesStrongly(tag) && content.range.length > part.length
    }
}
