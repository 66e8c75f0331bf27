import DuetHTTP
import Foundation

/// Stores one response while its body comes.
struct Recording: Sendable {
    /// A stored part that the new bytes are to be joined with (RFC 9111, section 3.4).
    struct Joining: Sendable {
        let combined: StoredResponse
        let id: HTTPCacheEntry.ID
        /// Where the new bytes lie in the representation, as they were announced.
        let range: Range<Int64>

        var old: Range<Int64> { combined.content.range }
    }

    /// How many stored bytes are written anew to be joined with fewer new ones.
    static let copyLimit: Int64 = 1024 * 1024

    let response: StoredResponse
    let joining: Joining?
    /// What the new response is made of, if it is made of a stored one.
    private let old: HTTPCacheEntry.ID?
    let question: Question
    let token: LoadToken
    let engine: CacheEngine
    /// How many bytes of body the store has room for beside the head; nil when it does not say.
    let room: Int64?
    private let writer: any HTTPCacheWriter
    private(set) var count: Int64 = 0
    private var isWhole = true
    private var hasRoom = true

    /// Nil when the store takes nothing.
    init?(
        of response: StoredResponse,
        joining: Joining? = nil,
        completing old: HTTPCacheEntry.ID? = nil,
        to question: Question,
        _ token: LoadToken,
        in engine: CacheEngine
    ) async {
        guard engine.store.storable(response) != nil,
            let writer = await engine.store.writer(
                for: question.key,
                length: joining == nil ? response.announcedLength : nil
            )
        else { return nil }
        self.response = response
        self.joining = joining
        self.old = old ?? joining?.id
        self.question = question
        self.token = token
        self.engine = engine
        self.writer = writer
        let head = (joining?.combined ?? response).approximateSize
        room = engine.largestResponse.map { $0 - head - question.key.size }
    }

    mutating func append(_ piece: Data) async {
        if let joining, count == 0, joining.range.lowerBound > joining.old.lowerBound {
            await copy(joining.old.lowerBound..<joining.range.lowerBound, of: joining)
        }
        count += Int64(piece.count)
        await write(piece)
    }

    private mutating func write(_ piece: Data) async {
        guard isWhole, hasRoom else { return }
        switch await engine.store.append(piece, to: writer) {
        case let isRoomLeft?: hasRoom = isRoomLeft
        case nil: isWhole = false
        }
    }

    /// How many bytes of body it has in the end, where so many come.
    func length(of count: Int64) -> Int64 {
        guard let joining else { return count }
        let (old, new) = (joining.old, joining.range)
        return max(old.upperBound, new.upperBound) - min(old.lowerBound, new.lowerBound)
    }

    /// Why a body of so many bytes will not be stored, as far as that is known before it comes.
    func refusal(of count: Int64) -> NotStored? {
        // What is longer than the store is not there in the end.
        if let room, length(of: count) > room { return .store }
        if let joining { return count > joining.range.length ? .incomplete : nil }
        return response.received(count, completely: true) == nil ? .incomplete : nil
    }

    /// Whether nothing is known yet that keeps it from being stored.
    var mayBeStored: Bool {
        isWhole && hasRoom && length(of: count) <= room ?? .max && engine.invalidations.isValid(token)
    }

    /// What has become of it.
    enum Result {
        case stored(StoredBody)
        case refused(NotStored)

        var stored: StoredBody? {
            if case .stored(let body) = self { body } else { nil }
        }
    }

    /// Stores what came, as far as that may be.
    @discardableResult
    func finish(completely: Bool) async -> Result {
        var recording = self
        guard let result = await recording.result(completely: completely) else {
            return await refuse(recording.isWhole && recording.hasRoom ? .incomplete : .store)
        }
        guard let kept = engine.store.storable(result) else { return await refuse(.secret) }
        guard engine.invalidations.beginCommit(token) else { return await refuse(.outdated) }
        defer { engine.invalidations.endCommit(token) }
        let entries = await engine.store.entries(for: question.key)
        let outdated = entries.filter { result.replaces($0.response) || $0.id == old }
        guard !outdated.contains(where: { $0.id != old && result.isOvertaken(by: $0.response) }) else {
            return await refuse(.outdated)
        }
        if case .part = result.content,
            outdated.contains(where: { $0.response.holdsMore(than: result.content.range, of: result.fields.entityTag) })
        {
            return await refuse(.range)
        }
        var replaced = Set(outdated.map(\.id))
        var left = entries.filter { !replaced.contains($0.id) }
        while left.count >= max(1, engine.configuration.variantLimit), let oldest = left.popLast() {
            replaced.insert(oldest.id)
        }
        let entry = await engine.store.commit(kept, to: writer, replacing: replaced.sorted())
        guard let entry else { return .refused(.store) }
        engine.counts.countStored(entry.response.content.range.length)
        return .stored(StoredBody(entry: entry, question: question, engine: engine))
    }

    private func refuse(_ reason: NotStored) async -> Result {
        await writer.discard()
        return .refused(reason)
    }

    /// Stores nothing of it, and removes what it is made of: who says such things of it would do so again.
    func refuse() async {
        await writer.discard()
        if let old { await engine.store.remove([old], of: question.key.uri) }
    }

    private mutating func result(completely: Bool) async -> StoredResponse? {
        guard let joining else { return isWhole ? response.received(count, completely: completely) : nil }
        guard count <= joining.range.length else { return nil }
        let new = joining.range.lowerBound..<joining.range.lowerBound + count
        guard let joined = joining.combined.joining(new) else { return nil }
        if new.upperBound < joining.old.upperBound {
            await copy(new.upperBound..<joining.old.upperBound, of: joining)
        }
        // What is stored is no less true for want of room to join it.
        return isWhole && hasRoom ? joined : nil
    }

    /// Writes bytes that are stored already.
    private mutating func copy(_ range: Range<Int64>, of joining: Joining) async {
        let start = joining.old.lowerBound
        let inStore = range.lowerBound - start..<range.upperBound - start
        guard isWhole, hasRoom else { return }
        guard
            let body = await engine.store.body(
                of: joining.id,
                in: inStore,
                count: range.length,
                to: question
            )
        else {
            isWhole = false
            return
        }
        do {
            for try await piece in body {
                await write(piece)
                if !isWhole || !hasRoom { return }
            }
        } catch {
            isWhole = false
        }
    }
}

extension StoredResponse {
    /// Whether the other came later, and is the one to be chosen of the two.
    fileprivate func isOvertaken(by other: StoredResponse) -> Bool {
        other.isMoreRecent(than: self) && other.times.received >= times.received
    }

    /// Whether it has more of the same representation than a part, which must not take its place.
    func holdsMore(than part: Range<Int64>, of tag: EntityTag?) -> Bool {
        guard let own = fields.entityTag, let tag else { return false }
        return own.matchesStrongly(tag) && content.range.length > part.length
    }
}
