public import Duet
public import Observation

/// A model for a screen that shows a list in pages, each loaded by a query.
///
/// ```swift
/// PagedModel(
///     ListNotes(page: 1),
///     in: dispatcher,
///     items: { $0 },
///     next: { query, page in page.isEmpty ? nil : ListNotes(text: query.text, page: query.page + 1) }
/// )
/// ```
///
/// Each property notifies its observers only of another value, ``items`` if they are `Equatable`.
///
/// An item that is on two pages, because the list has changed meanwhile, is shown once. A page that was cached before
/// an earlier page on display was loaded is loaded again, so that the list leaves out no item that was added meanwhile.
@MainActor @Observable
public final class PagedModel<Q: Query & Hashable, Item: Identifiable & Sendable> where Q.Value: Sendable {
    /// The items of all pages so far.
    public private(set) var items: [Item] = []

    /// Whether the first page is being loaded.
    public private(set) var isLoading = false

    /// Whether a further page is being loaded.
    public private(set) var isLoadingMore = false

    /// Whether there may be a further page.
    public private(set) var hasMore = false

    /// The error of the last load, or nil after a successful one.
    public private(set) var error: (any Error)?

    private let first: Q
    private let dispatcher: any Dispatcher
    private let itemsOf: (Q.Value) -> [Item]
    private let queryAfter: (_ query: Q, _ page: Q.Value) -> Q?
    private var next: Q?
    /// Changes with each load of the first page, so that a further page of an older list is dropped.
    private var generation = 0
    /// When the newest page on display was loaded.
    private var newest = -Double.infinity

    /// Creates an empty model.
    ///
    /// - Parameters:
    ///   - first: The query of the first page.
    ///   - dispatcher: Loads the pages.
    ///   - items: Returns the items of a page.
    ///   - next: Returns the query of the page after another one; nil after the last page.
    public init(
        _ first: Q,
        in dispatcher: any Dispatcher,
        items: @escaping (Q.Value) -> [Item],
        next: @escaping (_ query: Q, _ page: Q.Value) -> Q?
    ) {
        self.first = first
        self.dispatcher = dispatcher
        itemsOf = items
        queryAfter = next
    }

    /// Loads the first page, from the cache if it is fresh there, and replaces the items.
    public func load() async { await load(.cacheFirst) }

    /// Loads the first page from the handler, and replaces the items.
    public func refresh() async { await load(.fresh) }

    /// Loads the next page and appends its items.
    ///
    /// This does nothing without a next page, or while pages are being loaded.
    public func loadMore() async {
        guard let query = next, !isLoading, !isLoadingMore else { return }
        isLoadingMore = true
        let generation = generation
        let result = await page(query, .cacheFirst, after: newest)
        guard generation == self.generation else { return }
        isLoadingMore = false
        show(result, of: query, after: items, from: newest)
    }

    private func load(_ mode: ReadMode) async {
        generation += 1
        let generation = generation
        isLoading = true
        if isLoadingMore { isLoadingMore = false }
        removeError()
        let result = await page(first, mode, after: -.infinity)
        guard generation == self.generation else { return }
        isLoading = false
        show(result, of: first, after: [], from: -.infinity)
    }

    private typealias Page = Result<ReadResult<Q.Value>, any Error>

    private func page(_ query: Q, _ mode: ReadMode, after newest: Double) async -> Page {
        do {
            let page = try await dispatcher.read(query, mode)
            guard page.origin != .loaded, let loaded = page.loaded, loaded <= newest else { return .success(page) }
            return .success(try await dispatcher.read(query, .fresh))
        } catch {
            return .failure(error)
        }
    }

    private func show(_ result: Page, of query: Q, after items: [Item], from newest: Double) {
        switch result {
        case .success(let page):
            removeError()
            // After a failure, the pages on display stay, and so does their time.
            self.newest = max(newest, page.loaded ?? newest)
            var known = Set(items.map(\.id))
            let shown = items + itemsOf(page.value).filter { known.insert($0.id).inserted }
            if areEqual(self.items, shown) != true { self.items = shown }
            next = queryAfter(query, page.value)
            if hasMore != (next != nil) { hasMore.toggle() }
        case .failure(let failure):
            // A canceled load is not a failure that a screen shows.
            if !(failure is CancellationError) { error = failure }
        }
    }

    private func removeError() { if error != nil { error = nil } }
}
