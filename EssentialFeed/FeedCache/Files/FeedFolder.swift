import FeedFeature
import Foundation
import Synchronization

/// The operations of the file store in its folder, run while it holds the lock.
final class FeedFolder: Sendable {
    private let directory: URL
    private let images: URL
    private let feedFile: URL
    private let files: any FileAccess

    /// The last feed read or written, with its bytes, so that the same bytes are not decoded again.
    private let known = Mutex<(bytes: Data, feed: CachedFeed)?>(nil)

    init(_ directory: URL, _ files: any FileAccess) {
        self.directory = directory
        self.files = files
        images = directory.appending(component: "images")
        feedFile = directory.appending(component: "feed.json")
    }

    /// Creates missing folders, migrates an old feed, and checks that the feed can be read.
    func prepare() throws {
        try makeFolders()
        guard let bytes = try bytes() else { return }
        let file = try decode(bytes)
        if file.version < FeedFile.version {
            try write(file.feed)
        } else {
            known.withLock { $0 = (bytes, file.feed) }
        }
    }

    private func makeFolders() throws {
        do {
            try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
        } catch {
            for url in [directory, images] where FileManager.default.fileExists(atPath: url.path) && !isFolder(url) {
                throw FeedStoreError.unreadable(path: url.path, reason: "it is a file, not a folder")
            }
            throw FeedStoreError.folderUnavailable(path: directory.path, underlying: error)
        }
    }

    /// Returns the feed, or nil when there is none.
    func feed() throws -> CachedFeed? {
        guard let bytes = try bytes() else { return nil }
        if let known = known.withLock({ $0 }), known.bytes == bytes { return known.feed }
        let feed = try decode(bytes).feed
        known.withLock { $0 = (bytes, feed) }
        return feed
    }

    /// Replaces one feed by another, and keeps the bytes of images that are in both.
    func replace(_ before: Result<CachedFeed?, any Error>, with after: CachedFeed?) throws {
        let kept: Set<String>
        switch before {
        case .success(let feed):
            kept = names(of: feed)
        case .failure(FeedStoreError.unreadable):
            kept = []
            // A folder of that name would block the new file.
            if after != nil { try failing(feedFile) { try files.remove(feedFile) } }
        case .failure(FeedStoreError.newerSchema(let path, let found, let supported)):
            // A newer program can still read it.
            throw FeedStoreError.newerSchema(path: path, found: found, supported: supported)
        case .failure(let error):
            // It may be readable the next time, so only a deletion may ignore the error.
            guard after == nil else { throw error }
            kept = []
        }
        guard let after else {
            try failing(feedFile) { try files.remove(feedFile) }
            // The feed is gone from here on, whatever fails. The next replacement removes the remaining bytes.
            try? files.synchronize(directory)
            try? removeData(except: [])
            return
        }
        try makeFolders()
        // Bytes that a killed process left behind must not reappear with the new feed.
        try removeData(except: kept)
        try write(after)
        try? removeData(except: names(of: after))
    }

    /// Stores the bytes if the feed has an image with this URL.
    func insert(_ data: Data, for url: URL) throws {
        guard try feed()?.images.contains(where: { $0.url == url }) == true else { return }
        let file = images.appending(component: ImageDataFile.name(for: url))
        try failing(file) {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            try put(try encoder.encode(ImageDataFile(url: url, data: data)), into: file)
        }
    }

    /// Returns the bytes of an image of the feed, or nil when there are none.
    func data(for url: URL) throws -> Data? {
        guard try feed()?.images.contains(where: { $0.url == url }) == true else { return nil }
        let file = images.appending(component: ImageDataFile.name(for: url))
        guard let bytes = try failing(file, { try files.contents(of: file) }) else { return nil }
        do {
            let contents = try PropertyListDecoder().decode(ImageDataFile.self, from: bytes)
            return contents.url == url ? contents.data : nil
        } catch {
            throw FeedStoreError.unreadable(path: file.path, reason: "\(error)")
        }
    }

    private func bytes() throws -> Data? {
        if isFolder(feedFile) {
            throw FeedStoreError.unreadable(path: feedFile.path, reason: "it is a folder, not a file")
        }
        return try failing(feedFile) { try files.contents(of: feedFile) }
    }

    private func decode(_ bytes: Data) throws -> FeedFile {
        do {
            return try JSONDecoder().decode(FeedFile.self, from: bytes)
        } catch let error as FeedFile.NewerVersion {
            throw FeedStoreError.newerSchema(
                path: feedFile.path,
                found: "\(error.found)",
                supported: "\(FeedFile.version)"
            )
        } catch {
            throw FeedStoreError.unreadable(path: feedFile.path, reason: "\(error)")
        }
    }

    private func write(_ feed: CachedFeed) throws {
        let bytes = try failing(feedFile) {
            let bytes = try JSONEncoder().encode(FeedFile(feed))
            try put(bytes, into: feedFile)
            return bytes
        }
        known.withLock { $0 = (bytes, feed) }
    }

    /// Writes another file and renames it, so that the file is complete at any time.
    private func put(_ bytes: Data, into file: URL) throws {
        let other = file.appendingPathExtension("new")
        try files.write(bytes, to: other)
        try files.rename(other, to: file)
        // Readers see the new file already, whether or not its name is on the disk yet.
        try? files.synchronize(file.deletingLastPathComponent())
    }

    private func removeData(except kept: Set<String>) throws {
        try failing(images) {
            // The folder may hold other files from before; remove only the store's own.
            for name in try files.names(in: images) where ImageDataFile.isName(name) && !kept.contains(name) {
                try files.remove(images.appending(component: name))
            }
        }
    }

    private func names(of feed: CachedFeed?) -> Set<String> {
        Set(feed?.images.map { ImageDataFile.name(for: $0.url) } ?? [])
    }

    private func isFolder(_ url: URL) -> Bool {
        (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }

    private func failing<Value>(_ file: URL, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw FeedStoreError.failed(path: file.path, underlying: error)
        }
    }
}

/// The file store's format of the feed.
///
/// Version 1 had no locations; its images are read without one. Dates have Foundation's default coding, the only one
/// that keeps every bit.
struct FeedFile: Codable {
    /// The version of the schema that this program writes, and the newest that it reads.
    static let version = 2

    let version: Int
    private let timestamp: Date
    private let images: [Image]

    init(_ feed: CachedFeed) {
        version = Self.version
        timestamp = feed.timestamp
        images = feed.images.map(Image.init)
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        version = try values.decode(Int.self, forKey: .version)
        // Checked first, because a newer version's file may not have the other keys.
        guard version <= Self.version else { throw NewerVersion(found: version) }
        timestamp = try values.decode(Date.self, forKey: .timestamp)
        images = try values.decode([Image].self, forKey: .images)
    }

    var feed: CachedFeed {
        CachedFeed(images: images.map(\.model), timestamp: timestamp)
    }

    struct NewerVersion: Error {
        let found: Int
    }

    private struct Image: Codable {
        let id: UUID
        let description: String?
        let location: String?
        let url: URL

        init(_ image: FeedImage) {
            id = image.id
            description = image.description
            location = image.location
            url = image.url
        }

        var model: FeedImage { FeedImage(id: id, description: description, location: location, url: url) }
    }
}

/// The file store's format of one image's bytes, together with their URL.
struct ImageDataFile: Codable {
    let url: URL
    let data: Data

    /// The file name for a URL: the same in every process, and valid in every file system.
    ///
    /// The name is the checksum of the URL's bytes. If two URLs have the same one, the URL in the file decides, and the
    /// other image is loaded again.
    static func name(for url: URL) -> String {
        String(Checksum.of(url.absoluteString.utf8), radix: 16) + ".plist"
    }

    /// Whether a file's name is one of ``name(for:)``, or that of such a file while it is being written.
    static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return UInt64(parts[0], radix: 16) != nil && [["plist"], ["plist", "new"]].contains(Array(parts.dropFirst()))
    }
}
