import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// A store that fails nobody: what it cannot do is told once, and the cache goes on as if nothing were stored.
final class GuardedStore: Sendable {
    private enum Operation {
        case find, open, read, begin, append, commit, update, markUsed, remove, removeAll

        var action: HTTPCacheReport.StoreAction {
            switch self {
            case .find, .open, .read: .read
            default: .write
            }
        }

        /// Whether this shows that the store works: to begin something, or to take a piece of it, shows little.
        var isProof: Bool {
            switch self {
            case .begin, .append, .markUsed: false
            default: true
            }
        }

        /// What has not failed any more when this works: what it has made good, too; and what may not be tried again for long.
        var proven: Set<Operation> {
            switch self {
            case .removeAll: [.remove, .removeAll]
            case .commit: [.begin, .append, .commit, .update, .markUsed, .remove, .removeAll]
            default: [self]
            }
        }
    }

    private struct State {
        /// What failed when it was last tried.
        var failed: Set<Operation> = []
        /// Of what it is said that it fails, and when it last did: nothing more is said of it until it works again.
        var lastFailures: [HTTPCacheReport.StoreAction: Date] = [:]

        func hasFailed(_ action: HTTPCacheReport.StoreAction) -> Bool { failed.contains { $0.action == action } }

        /// URIs whose responses should have gone and could not be removed: they are not looked at before they are.
        ///
        /// With a number for each failure, so that one that comes while an earlier one is made good is not forgotten with it.
        var unremoved: [String: Int] = [:]
        /// More than can be remembered one by one, or everything was to go.
        var allUnremoved: Int?
        var failures = 0

        mutating func forget(upTo failure: Int) {
            unremoved = unremoved.filter { $0.value > failure }
            if allUnremoved.map({ $0 <= failure }) == true { allUnremoved = nil }
        }
    }

    private static let unremovedLimit = 1000
    /// For how many seconds nothing must have failed: on a full disk a little may be written, and then no more.
    private static let quietTime = 60.0

    private let store: any HTTPCacheStore
    private let secrets: Set<HTTPField.Name>
    private let now: @Sendable () -> Date
    private let report: @Sendable (HTTPCacheReport) -> Void
    private let state = Mutex(State())
    /// Whether something is said to fail; each answer asks several times.
    private let isFailing = Atomic(false)

    init(
        _ store: any HTTPCacheStore,
        secrets: Set<HTTPField.Name>,
        now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (HTTPCacheReport) -> Void
    ) {
        self.store = store
        self.secrets = store.isDurable ? secrets : []
        self.now = now
        self.report = report
    }

    func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
        guard await isRemoved(key.uri) else { return [] }
        do {
            let entries = try await store.entries(for: key)
            succeed(.find)
            return entries
        } catch {
            fail(.find, error)
            return []
        }
    }

    /// So many stored bytes; nil when they are gone, or cannot be read.
    ///
    /// An entry that turns out to be broken while it is read is removed, because it would break for the next one too.
    func body(
        of id: HTTPCacheEntry.ID,
        in range: Range<Int64>? = nil,
        count: Int64,
        to question: Question
    ) async -> HTTPBody? {
        do {
            let body = try await store.body(of: id, in: range)
            succeed(.open)
            guard let body else { return nil }
            if let size = body.size, size != count {
                fail(.read, WrongBodyLength(count: size, announced: count))
                await remove([id], of: question.key.uri)
                return nil
            }
            // What is there already cannot fail any more.
            if body.whole != nil {
                succeed(.read)
                return body
            }
            let pieces = GuardedPieces(
                body: body.counted(count, of: question.request),
                request: question.request,
                end: { self.succeed(.read) },
                fail: { error in
                    self.fail(.read, error)
                    await self.remove([id], of: question.key.uri)
                }
            )
            return HTTPBody(pieces, size: count)
        } catch {
            fail(.open, error)
            return nil
        }
    }

    func writer(for key: HTTPCacheKey, length: Int64?) async -> (any HTTPCacheWriter)? {
        await writing(.begin) { try await self.store.writer(for: key, length: length) }
    }

    /// Whether there is still room; nil when the bytes could not be taken.
    func append(_ piece: Data, to writer: any HTTPCacheWriter) async -> Bool? {
        await writing(.append) { try await writer.append(piece) }
    }

    func commit(
        _ response: StoredResponse,
        to writer: any HTTPCacheWriter,
        replacing ids: [HTTPCacheEntry.ID]
    ) async -> HTTPCacheEntry? {
        do {
            let entry = try await writer.commit(response, replacing: ids)
            // What there is no room for shows nothing.
            if entry != nil { succeed(.commit) }
            return entry
        } catch {
            fail(.commit, error)
            return nil
        }
    }

    /// Whether the new head was taken.
    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async -> Bool {
        await writing(.update) { try await self.store.update(id, to: response) } != nil
    }

    func markUsed(_ id: HTTPCacheEntry.ID) async {
        await writing(.markUsed) { try await self.store.markUsed(id) }
    }

    func flush() async {
        await writing(.markUsed) { try await self.store.flush() }
    }

    func remove(_ ids: [HTTPCacheEntry.ID], of uri: String) async {
        guard !ids.isEmpty else { return }
        guard await writing(.remove, { try await self.store.remove(ids) }) == nil else { return }
        remember(unremoved: uri)
    }

    /// Removes what is stored for a URI; what cannot be removed is not found any more either.
    func removeAll(uri: String) async {
        guard await writing(.removeAll, { try await self.store.removeAll(uri: uri) }) == nil else { return }
        remember(unremoved: uri)
    }

    /// Removes what is stored for URIs that begin so; when it cannot be removed, nothing is found any more.
    func removeAll(prefix: String) async {
        guard await writing(.removeAll, { try await self.store.removeAll(prefix: prefix) }) == nil else { return }
        state.withLock { state in
            state.failures += 1
            state.allUnremoved = state.failures
        }
    }

    /// Removes everything; what cannot be removed is not found any more either.
    ///
    /// - Throws: What kept it from being removed.
    func removeAll() async throws {
        let earlier = state.withLock(\.failures)
        do {
            try await store.removeAll()
            succeed(.removeAll)
            state.withLock { $0.forget(upTo: earlier) }
        } catch {
            fail(.removeAll, error)
            state.withLock { state in
                state.failures += 1
                state.allUnremoved = state.failures
            }
            throw error
        }
    }

    /// The response as the store may have it; nil when it may not.
    func storable(_ response: StoredResponse) -> StoredResponse? {
        secrets.isEmpty ? response : response.without(secrets)
    }

    /// Whether nothing is there that should have gone; what is, is removed first.
    private func isRemoved(_ uri: String) async -> Bool {
        let (all, number) = state.withLock { ($0.allUnremoved, $0.unremoved[uri]) }
        if let all {
            guard await writing(.removeAll, { try await self.store.removeAll() }) != nil else { return false }
            return state.withLock { state in
                state.forget(upTo: all)
                return state.allUnremoved == nil && state.unremoved[uri] == nil
            }
        }
        guard let number else { return true }
        guard await writing(.removeAll, { try await self.store.removeAll(uri: uri) }) != nil else { return false }
        return state.withLock { state in
            if state.unremoved[uri] == number { state.unremoved[uri] = nil }
            return state.unremoved[uri] == nil
        }
    }

    private func remember(unremoved uri: String) {
        state.withLock { state in
            state.failures += 1
            if state.unremoved[uri] != nil || state.unremoved.count < Self.unremovedLimit {
                state.unremoved[uri] = state.failures
            } else {
                state.allUnremoved = state.failures
            }
        }
    }

    @discardableResult
    private func writing<Value>(_ operation: Operation, _ body: () async throws -> Value) async -> Value? {
        do {
            let value = try await body()
            succeed(operation)
            return value
        } catch {
            fail(operation, error)
            return nil
        }
    }

    private func succeed(_ operation: Operation) {
        guard isFailing.load(ordering: .acquiring) else { return }
        let now = now()
        let works = state.withLock { state in
            guard let last = state.lastFailures[operation.action] else { return false }
            state.failed.subtract(operation.proven)
            // A clock may have been set back.
            guard operation.isProof, !state.hasFailed(operation.action),
                abs(now.timeIntervalSince(last)) >= Self.quietTime
            else { return false }
            state.lastFailures[operation.action] = nil
            isFailing.store(!state.lastFailures.isEmpty, ordering: .releasing)
            return true
        }
        if works { report(.storeWorks(operation.action)) }
    }

    private func fail(_ operation: Operation, _ error: any Error) {
        // Who was cancelled says nothing about the store, and neither does what others have removed.
        guard !(error is CancellationError), (error as? any HTTPCacheRemovalError)?.isRemoval != true else { return }
        let now = now()
        let isFirst = state.withLock { state in
            state.failed.insert(operation)
            isFailing.store(true, ordering: .releasing)
            return state.lastFailures.updateValue(now, forKey: operation.action) == nil
        }
        if isFirst { report(.storeFailed(operation.action, underlying: error)) }
    }
}
