import FeedFeature
import Foundation
import Synchronization

/// Remembers which image an id stands for, for the images delivered most recently.
///
/// It keeps two halves. A full newer half becomes the older one, and what was in the older one is forgotten: no more than
/// the limit is ever kept, and forgetting costs nothing for each image.
final class ImageIndex: Sendable {
    private struct Halves {
        var newer: [UUID: FeedImage] = [:]
        var older: [UUID: FeedImage] = [:]
    }

    private let half: Int
    private let halves = Mutex(Halves())

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

    subscript(id: UUID) -> FeedImage? {
        halves.withLock { $0.newer[id] ?? $0.older[id] }
    }
}
