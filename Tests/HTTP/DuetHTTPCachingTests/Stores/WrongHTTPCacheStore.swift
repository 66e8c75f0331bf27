import DuetHTTP
import DuetHTTPCaching
import Foundation
import Synchronization

/// A store that does one thing wrong.
struct WrongHTTPCacheStore: HTTPCacheStore {
    enum Fault: CaseIterable {
        case forgetsUses, forgetsUpdates, mixesPartitions, reversesOrder, cutsBodies, ignoresRanges, shiftsRanges
        case keepsReplaced, dropsEmptyBodies, countsBodiesOnly, removesPrefixes, removesOnePartition, ignoresPrefixes
        case removesNothing, saysItIsDurable, ignoresLengths, drivesOutAll, announcesWholeBodies, countsNoBodies
        case takesEndlessBodies
    }

    let fault: Fault
    let store: InMemoryHTTPCacheStore

    var isDurable: Bool { fault == .saysItIsDurable }

    func entries(for key: HTTPCacheKey) async throws -> [HTTPCacheEntry] {
        let entries = store.entries(for: stored(key))
        return fault == .reversesOrder ? entries.reversed() : entries
    }

    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?) async throws -> HTTPBody? {
        switch fault {
        case .cutsBodies:
            guard let body = store.body(of: id, in: range) else { return nil }
            return HTTPBody(try await body.collect(upTo: .max, orThrow: CancellationError()).prefix(1_000_000))
        case .announcesWholeBodies:
            guard let body = store.body(of: id, in: range) else { return nil }
            return HTTPBody(Pieces(body: body), size: store.body(of: id, in: nil)?.size)
        case .ignoresRanges: return store.body(of: id, in: nil)
        case .shiftsRanges:
            return store.body(of: id, in: range.map { $0.lowerBound..<max($0.lowerBound, $0.upperBound - 1) })
        case .dropsEmptyBodies: return store.body(of: id, in: range).flatMap { $0.size == 0 ? nil : $0 }
        default: return store.body(of: id, in: range)
        }
    }

    func writer(for key: HTTPCacheKey, length: Int64?) async throws -> any HTTPCacheWriter {
        let length = fault == .ignoresLengths ? nil : length
        return WrongHTTPCacheWriter(fault: fault, writer: store.writer(for: stored(key), length: length), store: store)
    }

    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async throws {
        if fault != .forgetsUpdates { store.update(id, to: response) }
    }

    func markUsed(_ id: HTTPCacheEntry.ID) async throws {
        if fault != .forgetsUses { store.markUsed(id) }
    }

    func remove(_ ids: [HTTPCacheEntry.ID]) async throws {
        store.remove(ids)
    }

    func removeAll(uri: String) async throws {
        switch fault {
        case .removesOnePartition: store.remove(store.entries(for: HTTPCacheKey(uri: uri)).map(\.id))
        case .removesPrefixes: for end in ["", "/", "?"] { store.removeAll(uri: uri + end) }
        default: store.removeAll(uri: uri)
        }
    }

    func removeAll(prefix: String) async throws {
        if fault != .ignoresPrefixes { store.removeAll(prefix: prefix) }
    }

    func removeAll() async throws {
        if fault != .removesNothing { store.removeAll() }
    }

    func size() async throws -> Int64 {
        switch fault {
        case .countsBodiesOnly: store.size() / 1_000 * 1_000
        case .countsNoBodies: min(store.size(), 700)
        default: store.size()
        }
    }

    /// The pieces of a body without its size.
    private struct Pieces: AsyncSequence, Sendable {
        let body: HTTPBody

        func makeAsyncIterator() -> HTTPBody.AsyncIterator { body.makeAsyncIterator() }
    }

    private func stored(_ key: HTTPCacheKey) -> HTTPCacheKey {
        fault == .mixesPartitions ? HTTPCacheKey(uri: key.uri) : key
    }
}

private final class WrongHTTPCacheWriter: HTTPCacheWriter {
    let fault: WrongHTTPCacheStore.Fault
    let writer: any HTTPCacheWriter
    let store: InMemoryHTTPCacheStore
    let count = Mutex(0)

    func append(_ piece: Data) async throws -> Bool {
        // More bytes than an ordinary response of the contract has.
        let isLong = count.withLock { count in
            count += piece.count
            return count > 20_000 && count < 1_000_000
        }
        if fault == .drivesOutAll, isLong { store.removeAll() }
        return try await writer.append(piece) || fault == .takesEndlessBodies
    }

    init(fault: WrongHTTPCacheStore.Fault, writer: any HTTPCacheWriter, store: InMemoryHTTPCacheStore) {
        self.fault = fault
        self.writer = writer
        self.store = store
    }

    func commit(_ response: StoredResponse, replacing ids: [HTTPCacheEntry.ID]) async throws -> HTTPCacheEntry? {
        try await writer.commit(response, replacing: fault == .keepsReplaced ? [] : ids)
    }

    func discard() async {
        await writer.discard()
    }
}
