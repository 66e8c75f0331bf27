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
    }

    private struct State {
        /// What failed when it was last tried: while anything of one kind has, nothing more is said of that kind.
        var failed: Set<Operation> = []

        func hasFailed(_ action: HTTPCacheReport.StoreAction) -> Bool { failed.contains { $0.action == action } }

        /// URIs whose responses should have gone and could not be removed: they are not looked at before they are.
        var unremoved: Set<String> = []
        /// More than can be remembered one by one.
        var isAllUnremoved = false
    }

    private static let unremovedLimit = 1000

    private let store: any HTTPCacheStore
    private let secrets: Set<HTTPField.Name>
    private let report: @Sendable (HTTPCacheReport) -> Void
    private let state = Mutex(State())

    init(
        _ store: any HTTPCacheStore,
        secrets: Set<HTTPField.Name>,
        report: @escaping @Sendable (HTTPCacheReport) -> Void
    ) {
        self.store = store
        self.secrets = store.isDurable ? secrets : []
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

    /// Nil when it is gone, or cannot be read.
    func body(of id: HTTPCacheEntry.ID, in range: Range<Int64>?, for request: HTTPRequest) async -> HTTPBody? {
        do {
            let body = try await store.body(of: id, in: range)
            succeed(.open)
            guard let body else { return nil }
            let pieces = GuardedPieces(
                body: body,
                request: request,
                end: { self.succeed(.read) },
                fail: { self.fail(.read, $0) }
            )
            return HTTPBody(pieces, size: body.size)
        } catch {
            fail(.open, error)
            return nil
        }
    }

    func writer(for key: HTTPCacheKey) async -> (any HTTPCacheWriter)? {
        await writing(.begin) { try await self.store.writer(for: key) }
    }

    /// Whether the bytes were taken.
    func append(_ piece: Data, to writer: any HTTPCacheWriter) async -> Bool {
        await writing(.append) { try await writer.append(piece) } != nil
    }

    func commit(
        _ response: StoredResponse,
        to writer: any HTTPCacheWriter,
        replacing ids: [HTTPCacheEntry.ID]
    ) async -> HTTPCacheEntry? {
        await writing(.commit) { try await writer.commit(response, replacing: ids) } ?? nil
    }

    func update(_ id: HTTPCacheEntry.ID, to response: StoredResponse) async {
        await writing(.update) { try await self.store.update(id, to: response) }
    }

    func markUsed(_ id: HTTPCacheEntry.ID) async {
        await writing(.markUsed) { try await self.store.markUsed(id) }
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

    /// The response as the store may have it; nil when it may not.
    func storable(_ response: StoredResponse) -> StoredResponse? {
        secrets.isEmpty ? response : response.without(secrets)
    }

    private func isRemoved(_ uri: String) async -> Bool {
        let (isRemoved, isAll) = state.withLock { ($0.unremoved.isEmpty && !$0.isAllUnremoved, $0.isAllUnremoved) }
        if isRemoved { return true }
        if isAll {
            guard await writing(.removeAll, { try await self.store.removeAll() }) != nil else { return false }
            state.withLock { state in
                state.isAllUnremoved = false
                state.unremoved = []
            }
            return true
        }
        guard state.withLock({ $0.unremoved.contains(uri) }) else { return true }
        guard await writing(.removeAll, { try await self.store.removeAll(uri: uri) }) != nil else { return false }
        state.withLock { _ = $0.unremoved.remove(uri) }
        return true
    }

    private func remember(unremoved uri: String) {
        state.withLock { state in
            if state.unremoved.count < Self.unremovedLimit {
                state.unremoved.insert(uri)
            } else {
                state.isAllUnremoved = true
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
        let works = state.withLock { state in
            state.failed.remove(operation) != nil && !state.hasFailed(operation.action)
        }
        if works { report(.storeWorks(operation.action)) }
    }

    private func fail(_ operation: Operation, _ error: any Error) {
        // Who was cancelled says nothing about the store.
        guard !(error is CancellationError) else { return }
        let isFirst = state.withLock { state in
            defer { state.failed.insert(operation) }
            return !state.hasFailed(operation.action)
        }
        if isFirst { report(.storeFailed(operation.action, underlying: error)) }
    }
}
