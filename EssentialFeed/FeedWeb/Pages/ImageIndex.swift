import Duet
import FeedFeature
import Foundation
import Synchronization

/// Remembers the images that were delivered most recently, by id.
///
/// It keeps two halves. When the newer half is full, it becomes the older one, and the previous older one is forgotten.
/// The limit therefore always holds, and forgetting has no cost for each image.
final class ImageIndex: Sendable {
    private struct Halves {
        var newer: [UUID: FeedImage] = [:]
        var older: [UUID: FeedImage] = [:]
    }

    private let half: Int
    private let halves = Mutex(Halves())
    private let restoration = Mutex<Task<Void, any Error>?>(nil)

    init(limit: Int) {
        half = max(1, limit / 2)
    }

    func insert(_ images: [FeedImage]) {
        halves.withLock { halves in
            for image in images {
                if halves.newer.count >= half, halves.newer[image.id] == nil {
                    halves.older = halves.newer
                    halves.newer = [:]
                }
                halves.newer[image.id] = image
            }
        }
    }

    /// Inserts the images that `load` returns, once in the life of the index; concurrent calls wait for the first one.
    ///
    /// - Throws: The error that `load` throws; the next call then tries again.
    func restore(_ load: @escaping @Sendable () async throws -> [FeedImage]) async throws {
        let task = restoration.withLock { restoration in
            let task = restoration ?? Task { insert(try await load()) }
            restoration = task
            return task
        }
        do {
            try await task.value
        } catch {
            restoration.withLock { $0 = nil }
            throw error
        }
    }

    subscript(id: UUID) -> FeedImage? {
        halves.withLock { $0.newer[id] ?? $0.older[id] }
    }
}

extension ImageIndex {
    /// Returns the image with an id, or nil if this server has neither delivered nor cached it.
    ///
    /// An image's URL comes only from the feed, so a request cannot make this server load anything else. An unknown id
    /// causes no request to the backend, because anyone can invent ids.
    func image(_ id: FeedImage.ID, from dispatcher: any QueryDispatcher) async throws -> FeedImage? {
        if let image = self[id] { return image }
        // A page that was open before this server started shows images of the cached feed.
        try await restore { try await dispatcher.dispatch(LoadFeedCacheSummary())?.images ?? [] }
        return self[id]
    }
}
