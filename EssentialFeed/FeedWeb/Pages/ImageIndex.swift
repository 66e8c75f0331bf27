import Duet
import FeedFeature
import Foundation
import Synchronization

/// Remembers the images that were delivered most recently, and those that were removed, by id.
///
/// It keeps two halves. When the newer half is full, it becomes the older one, and the previous older one is forgotten.
/// The limit therefore always holds, and forgetting has no cost for each image.
final class ImageIndex: Sendable {
    /// The state of an image.
    private enum Entry {
        case delivered(FeedImage)
        /// An older page of the feed does not bring it back, because an id is never reused.
        case removed
    }

    private struct Halves {
        var newer: [UUID: Entry] = [:]
        var older: [UUID: Entry] = [:]
        var missing: Set<UUID> = []

        subscript(id: UUID) -> Entry? { newer[id] ?? older[id] }

        mutating func insert(_ entry: Entry, for id: UUID, limit half: Int) {
            if newer.count >= half, newer[id] == nil {
                older = newer
                newer = [:]
            }
            newer[id] = entry
        }
    }

    /// The source of images that the index loads itself.
    private enum Source {
        case cache, server
    }

    private let half: Int
    private let halves = Mutex(Halves())
    private let loads = Mutex<[Source: Task<Void, any Error>]>([:])

    init(limit: Int) {
        half = max(1, limit / 2)
    }

    func insert(_ images: [FeedImage]) {
        halves.withLock { halves in
            for image in images {
                if case .removed? = halves[image.id] { continue }
                halves.insert(.delivered(image), for: image.id, limit: half)
            }
        }
    }

    /// Remembers that images were removed.
    func markRemoved(_ ids: Set<FeedImage.ID>) {
        halves.withLock { halves in
            for id in ids { halves.insert(.removed, for: id, limit: half) }
        }
    }

    /// Forgets an image whose bytes are missing, until a page of the feed has it again, unless it was removed.
    ///
    /// - Returns: Whether the image was neither missing before nor removed.
    func removeMissing(_ id: FeedImage.ID) -> Bool {
        halves.withLock { halves in
            if case .removed? = halves[id] { return false }
            halves.newer[id] = nil
            halves.older[id] = nil
            if halves.missing.count >= half { halves.missing = [] }
            return halves.missing.insert(id).inserted
        }
    }

    /// Forgets all delivered images, but not which were removed.
    func removeAll() {
        halves.withLock { halves in
            for half in [\Halves.newer, \.older] {
                halves[keyPath: half] = halves[keyPath: half].filter { if case .removed = $1 { true } else { false } }
            }
        }
    }

    /// Whether an image was removed, as far as this server knows.
    func isRemoved(_ id: FeedImage.ID) -> Bool {
        halves.withLock { if case .removed? = $0[id] { true } else { false } }
    }

    /// Inserts the images that `load` returns, once in the life of the index for each source; concurrent calls wait for
    /// the first one.
    ///
    /// - Throws: The error that `load` throws; the next call then tries again.
    private func insertOnce(
        from source: Source,
        _ load: @escaping @Sendable () async throws -> [FeedImage]
    ) async throws {
        let task = loads.withLock { loads in
            let task = loads[source] ?? Task { insert(try await load()) }
            loads[source] = task
            return task
        }
        do {
            try await task.value
        } catch {
            loads.withLock { $0[source] = nil }
            throw error
        }
    }

    subscript(id: UUID) -> FeedImage? {
        halves.withLock { if case .delivered(let image)? = $0[id] { image } else { nil } }
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
        try await insertOnce(from: .cache) { try await dispatcher.dispatch(LoadFeedCacheSummary())?.images ?? [] }
        return self[id]
    }

    /// Returns an image, whose URL could not be loaded, with the URL that it has now; nil if that is the same one.
    ///
    /// A cached feed has the URLs of the backend that it came from, and after a restart the backend may have another
    /// address. The feed is loaded once for this purpose, so that failing images do not burden a backend.
    func changedImage(_ image: FeedImage, from dispatcher: any QueryDispatcher) async throws -> FeedImage? {
        try await insertOnce(from: .server) {
            let page = try await dispatcher.dispatch(LoadFeed())
            if let failure = page.failure { throw failure }
            // The cached later pages were renewed together with the first one.
            return (try await dispatcher.dispatch(LoadFeedCacheSummary())?.images ?? []) + page.images
        }
        return self[image.id].flatMap { $0.url == image.url ? nil : $0 }
    }
}
