import DuetHTTP
import DuetSQLite
import FeedFeature
public import Foundation
import GRDB

/// Fills a database from a folder of images with a manifest, `feed.json`.
///
/// ```json
/// {"items": [{"id": "…", "description": "…", "caption": "…", "location": "…", "author": "…", "image": "cat.jpg",
///             "comments": [{"id": "…", "message": "…", "username": "…",
///                           "created_at": "2026-01-02T03:04:05Z"}]}]}
/// ```
///
/// An item requires only `id` and `image`, a comment only `message` and `username`. The first item becomes the newest
/// image of the feed. The files stay as they are; the feed gets their images without metadata.
public struct FeedSeeder: Sendable {
    /// The maximum size of an image, and the approximate size of a batch, in bytes: 16 MiB.
    static let imageLimit = 16_777_216

    private let database: FeedDatabase
    private let now: @Sendable () -> Date

    /// Creates a seeder of a database; images, and comments without a time in the manifest, get that of `now`.
    public init(database: FeedDatabase, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// This module's folder of photographs, each with its author, license and source.
    public static var samples: URL { Bundle.module.bundleURL.appending(path: "samples") }

    /// Publishes the images of a folder, with their comments.
    ///
    /// They are stored in batches, each in one transaction. Existing and removed images remain as they are. Repeating
    /// the call therefore changes nothing, and a call after a fault continues where the previous one ended.
    ///
    /// - Parameters:
    ///   - folder: The folder with `feed.json` and the images that it names.
    ///   - progress: Receives the numbers of finished and of all items, at the start and after each batch.
    /// - Throws: ``FeedSeedError`` that names file and key; the database's own error.
    public func seed(from folder: URL, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) async throws {
        let images = ImageFolder(folder)
        let manifest = try FeedManifest(contentsOf: images.manifest)
        let total = manifest.items.count
        progress(0, total)
        var batch: [Seed] = []
        var size = 0
        // In reverse order, because the image that is published last is the newest.
        for (index, item) in manifest.items.enumerated().reversed() {
            let seed = try seed(of: item, key: "items[\(index)]", in: images)
            batch.append(seed)
            size += seed.image.data.count
            if batch.count == 1_000 || size > Self.imageLimit || index == 0 {
                try Task.checkCancellation()
                try await store(batch)
                progress(total - index, total)
                (batch, size) = ([], 0)
            }
        }
    }

    private func seed(of item: FeedManifest.Item, key: String, in images: ImageFolder) throws -> Seed {
        do {
            let image = PublishImage(
                id: item.id,
                description: item.description,
                caption: item.caption,
                location: item.location,
                data: try images.data(named: item.image)
            )
            try image.validate()
            let (published, file) = try image.withoutMetadata()
            try checkStorable(item.description, item.caption, item.location)
            try checkStorable(item.author, field: "author")
            let comments = (item.comments ?? []).enumerated().map { number, comment in
                (
                    comment.command(for: item.id, number: number),
                    comment.created_at.flatMap { Date(rfc3339: $0) } ?? now()
                )
            }
            return Seed(image: published, file: file, author: item.author, comments: comments)
        } catch let fault as InvalidMessage {
            // The message's body is the file that the item names.
            let field = fault.field == "body" ? "image" : fault.field
            throw FeedSeedError(file: images.manifest.path, key: "\(key).\(field)", reason: fault.reason)
        }
    }

    private func store(_ batch: [Seed]) async throws {
        let publishedAt = now()
        try await database.connection.write { db in
            for seed in batch where try db.position(ofRemoved: seed.image.id) == nil {
                if try db.position(of: seed.image.id) == nil {
                    try db.insert(seed.image, seed.file, author: seed.author, publishedAt: publishedAt)
                }
                guard let position = try db.position(of: seed.image.id) else { continue }
                for (comment, createdAt) in seed.comments {
                    // A comment that was removed, or stored with another text, stays as it is.
                    do {
                        try db.insert(comment, at: position, createdAt: createdAt)
                    } catch is CommentRemoved, is IDReused {}
                }
            }
        }
    }
}

private struct Seed {
    let image: PublishImage
    let file: ImageFile
    let author: String?
    let comments: [(PostImageComment, Date)]
}

/// A fault in a folder that the feed is seeded from.
public struct FeedSeedError: Error, Hashable, CustomStringConvertible {
    /// The file with the fault.
    public let file: String

    /// The path to the fault within the manifest, such as `items[3].image`; nil for the file as a whole.
    public let key: String?

    /// The fault and its remedy.
    public let reason: String

    /// The file, the path to the fault within it, and the fault.
    public var description: String {
        [file, key.map { "\($0) \(reason)." } ?? "\(reason)."].joined(separator: ": ")
    }
}
