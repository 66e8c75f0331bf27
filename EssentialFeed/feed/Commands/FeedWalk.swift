import Duet
import FeedFeature

/// Loads the feed page by page.
struct FeedWalk {
    /// What was loaded.
    struct Loaded {
        var page: FeedPage
        var missingImages = 0

        /// Whether the server, or else the cache, had all that was asked for.
        var isComplete: Bool {
            if case .cache = page.source { return true }
            return page.failure == nil
        }
    }

    let dispatcher: any QueryDispatcher
    let limit: Int

    /// Loads pages until there are so many, the feed ends, or there is no server to ask for more.
    ///
    /// When a later page fails, what was loaded before it comes back with the failure.
    func load(pages: Int) async throws -> Loaded {
        let first = try await dispatcher.dispatch(LoadFeed(limit: limit))
        var images = first.images
        var failure = first.failure
        var known = Set(images.map(\.id))
        var loaded = 1
        while loaded < pages, first.source == .remote, let last = images.last {
            do {
                let next = try await dispatcher.dispatch(LoadFeed(after: last.id, limit: limit))
                let new = next.images.filter { known.insert($0.id).inserted }
                // An empty page ends the feed. A server that repeats itself must not be asked for ever.
                guard !new.isEmpty else { break }
                images += new
                loaded += 1
            } catch let error as RemoteFailure {
                failure = error
                break
            }
        }
        return Loaded(page: FeedPage(images: images, source: first.source, failure: failure))
    }
}
