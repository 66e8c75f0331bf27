import Duet
import FeedFeature

/// Loads the feed page by page.
struct FeedWalk {
    /// What was loaded.
    struct Loaded {
        var page: FeedPage
        var missingImages = 0
    }

    let dispatcher: any QueryDispatcher
    let limit: Int

    /// Loads pages until there are so many, the feed ends, or there is no server to ask for more.
    func load(pages: Int) async throws -> Loaded {
        var page = try await dispatcher.dispatch(LoadFeed(limit: limit))
        var loaded = 1
        while loaded < pages, page.source == .remote, let last = page.images.last {
            let next = try await dispatcher.dispatch(LoadFeed(after: last.id, limit: limit))
            let known = Set(page.images.map(\.id))
            let new = next.images.filter { !known.contains($0.id) }
            // A server that repeats itself would never come to an end.
            guard !new.isEmpty else { break }
            page = FeedPage(images: page.images + new, source: page.source, failure: page.failure)
            loaded += 1
        }
        return Loaded(page: page)
    }
}
