import Duet
import FeedFeature
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Remembers the images that were delivered most recently, and those that were removed, by id.
///
/// It keeps two halves. When the newer half is full, it becomes the older one, and the previous older one is forgotten.
/// The limit therefore always holds, and forgetting has no cost for each image.
final class ImageIndex: Sendable {
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

    /// The number of images that this server looks up at a time, because anyone can invent ids.
    private static let lookupLimit = 32

    private let half: Int
    private let halves = Mutex(Halves())
    private let cachedFeed = Mutex<Task<Void, any Error>?>(nil)
    private let lookups = Mutex(0)

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

    func isRemoved(_ id: FeedImage.ID) -> Bool {
        halves.withLock { if case .removed? = $0[id] { true } else { false } }
    }

    /// Inserts the images of the cached feed, once in the life of the index; concurrent calls wait for the first one.
    private func insertCachedFeed(from dispatcher: any QueryDispatcher) async throws {
        let task = cachedFeed.withLock { task in
            let insertion = task ?? Task { insert(try await dispatcher.dispatch(LoadFeedCacheSummary())?.images ?? []) }
            task = insertion
            return insertion
        }
        do {
            try await task.value
        } catch {
            cachedFeed.withLock { $0 = nil }
            throw error
        }
    }

    subscript(id: UUID) -> FeedImage? {
        halves.withLock { if case .delivered(let image)? = $0[id] { image } else { nil } }
    }
}

extension ImageIndex {
    /// Returns the image with an id; nil for an unknown one.
    ///
    /// An image's URL comes only from the feed, so a request cannot make this server load anything else.
    ///
    /// - Throws: `RemoteFailure` if this server does not know the image and cannot ask the backend now; `HTTPError`
    ///   with 503 if it asks for too many at the same time.
    func image(_ id: FeedImage.ID, from dispatcher: any QueryDispatcher) async throws -> FeedImage? {
        if let image = self[id] { return image }
        // A page that was open before this server started shows images of the cached feed.
        try await insertCachedFeed(from: dispatcher)
        if let image = self[id] { return image }
        return try await lookUp(id, from: dispatcher)
    }

    /// Returns an image, whose URL could not be loaded, with the URL that it has now; nil if that is the same one.
    ///
    /// A cached feed has the URLs of the backend that it came from, and after a restart the backend may have another
    /// address.
    func changedImage(_ image: FeedImage, from dispatcher: any QueryDispatcher) async throws -> FeedImage? {
        try await lookUp(image.id, from: dispatcher).flatMap { $0.url == image.url ? nil : $0 }
    }

    /// Asks the backend for an image as it is now; the client's cache remembers the response, also that there is none.
    ///
    /// - Throws: The errors of ``image(_:from:)``.
    func lookUp(_ id: FeedImage.ID, from dispatcher: any QueryDispatcher) async throws -> FeedImage? {
        let isAllowed = lookups.withLock { count in
            guard count < Self.lookupLimit else { return false }
            count += 1
            return true
        }
        guard isAllowed else { throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"]) }
        defer { lookups.withLock { $0 -= 1 } }
        do {
            let image = try await dispatcher.dispatch(LoadImageDetails(id: id))
            insert([image])
            return self[id]
        } catch is ImageNotFound {
            return nil
        } catch is ImageRemoved {
            markRemoved([id])
            return nil
        }
    }
}
