import DuetHTTP
import Foundation

/// Stores one response while its body comes.
struct Recording: Sendable {
    /// A stored part that the new bytes are to be joined with (RFC 9111, section 3.4).
    struct Joining: Sendable {
        let combined: StoredResponse
        let id: HTTPCacheEntry.ID
        /// Where the new bytes begin in the representation.
        let start: Int64

        var old: Range<Int64> { combined.content.range }
    }

    let response: StoredResponse
    let joining: Joining?
    let question: Question
    let token: LoadToken
    let engine: CacheEngine
    private let writer: any HTTPCacheWriter
    private(set) var count: Int64 = 0
    private var isWhole = true

    /// Nil when the store takes nothing.
    init?(
        of response: StoredResponse,
        joining: Joining? = nil,
        to question: Question,
        _ token: LoadToken,
        in engine: CacheEngine
    ) async {
        guard engine.store.storable(response) != nil, let writer = await engine.store.writer(for: question.key) else {
            return nil
        }
        self.response = response
        self.joining = joining
        self.question = question
        self.token = token
        self.engine = engine
        self.writer = writer
        if let joining, joining.start > joining.old.lowerBound {
            await copy(joining.old.lowerBound..<joining.start, of: joining)
        }
    }

    mutating func append(_ piece: Data) async {
        count += Int64(piece.count)
        guard isWhole else { return }
        isWhole = await engine.store.append(piece, to: writer)
    }

    /// Stores what came, as far as that may be.
    func finish(completely: Bool) async {
        var recording = self
        guard let result = await recording.result(completely: completely),
            let kept = engine.store.storable(result), engine.invalidations.beginCommit(token)
        else {
            await writer.discard()
            return
        }
        defer { engine.invalidations.endCommit(token) }
        let entries = await engine.store.entries(for: question.key)
        var left = entries.filter { !result.replaces($0.response) && $0.id != joining?.id }
        var replaced = Set(entries.map(\.id)).subtracting(left.map(\.id))
        while left.count >= max(1, engine.configuration.variantLimit), let oldest = left.popLast() {
            replaced.insert(oldest.id)
        }
        _ = await engine.store.commit(kept, to: writer, replacing: replaced.sorted())
    }

    private mutating func result(completely: Bool) async -> StoredResponse? {
        guard let joining else { return isWhole ? response.received(count, completely: completely) : nil }
        let new = joining.start..<joining.start + count
        guard let joined = joining.combined.joining(new) else { return nil }
        if new.upperBound < joining.old.upperBound {
            await copy(new.upperBound..<joining.old.upperBound, of: joining)
        }
        return isWhole ? joined : nil
    }

    /// Writes bytes that are stored already.
    private mutating func copy(_ range: Range<Int64>, of joining: Joining) async {
        let start = joining.old.lowerBound
        let inStore = range.lowerBound - start..<range.upperBound - start
        var copied: Int64 = 0
        if isWhole, let body = await engine.store.body(of: joining.id, in: inStore, for: question.request) {
            do {
                for try await piece in body {
                    copied += Int64(piece.count)
                    isWhole = await engine.store.append(piece, to: writer)
                    if !isWhole { return }
                }
            } catch {
                isWhole = false
            }
        }
        isWhole = isWhole && copied == Int64(range.count)
    }
}
