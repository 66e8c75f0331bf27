public import Foundation

/// Stores the feed as JSON and each image's bytes as a property list, in a separate folder.
///
/// The folder holds `feed.json` and `images/`; a lock file is beside it. A transaction writes its result to another
/// file, which then replaces `feed.json` in one step. A reader therefore sees the old feed or the new one, even when
/// the process is killed.
public final class FileFeedStore: FeedStore, FeedImageDataStore {
    private let folder: FeedFolder
    private let locations: StoreLocations
    private let lock: FileLock

    /// Runs the operations in the order in which they were issued; waiting for a lock blocks only this queue.
    private let queue = DispatchQueue(label: "FileFeedStore")

    /// Opens the store in a folder, or creates it.
    ///
    /// - Parameters:
    ///   - directory: The folder, which is used by the store alone.
    ///   - lockTimeout: How long to wait while another process writes.
    /// - Throws: ``FeedStoreError``.
    public convenience init(directory: URL, lockTimeout: Duration = .seconds(5)) throws {
        try self.init(directory: directory, lockTimeout: lockTimeout, files: DiskAccess())
    }

    package convenience init(directory: URL, lockTimeout: Duration = .seconds(5), files: any FileAccess) throws {
        let locations = StoreLocations(directory)
        try locations.makeFolder()
        self.init(FeedFolder(directory, files), locations, locations.lock(timeout: lockTimeout))
        try lock.withLock(.exclusive) { try folder.prepare() }
    }

    private init(_ folder: FeedFolder, _ locations: StoreLocations, _ lock: FileLock) {
        self.folder = folder
        self.locations = locations
        self.lock = lock
    }

    /// Opens the store in a folder; sets an unusable one aside and creates a new one.
    ///
    /// - Parameters:
    ///   - directory: The folder, which is used by the store alone.
    ///   - lockTimeout: How long to wait while another process writes.
    /// - Throws: ``FeedStoreError`` when setting the old one aside would not help.
    public static func open(
        at directory: URL,
        lockTimeout: Duration = .seconds(5)
    ) throws -> OpenedStore<FileFeedStore> {
        let locations = StoreLocations(directory)
        try locations.makeFolder()
        let folder = FeedFolder(directory, DiskAccess())
        let lock = locations.lock(timeout: lockTimeout)
        return try lock.withLock(.exclusive) {
            try OpenedStore(opening: locations) {
                try folder.prepare()
                return FileFeedStore(folder, locations, lock)
            }
        }
    }

    /// Returns the feed, or nil when there is none.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieve() async throws -> CachedFeed? {
        try await perform(.shared) { try $0.feed() }
    }

    /// Returns the feed's timestamp, or nil when there is no feed.
    ///
    /// It reads the whole file, but decodes it only if it has changed.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieveTimestamp() async throws -> Date? {
        try await perform(.shared) { try $0.feed()?.timestamp }
    }

    /// Returns the number of the feed's images, or nil when there is no feed.
    ///
    /// It reads the whole file, but decodes it only if it has changed.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieveCount() async throws -> Int? {
        try await perform(.shared) { try $0.feed()?.images.count }
    }

    /// Runs several steps as one, so that all of them take effect or none of them does.
    ///
    /// - Throws: The error that `body` throws, unchanged, or ``FeedStoreError``; nothing has changed then.
    public func transaction(_ body: @escaping @Sendable (any FeedStoreTransaction) throws -> Void) async throws {
        try await perform(.exclusive) { folder in
            let before = Result { try folder.feed() }
            let working = WorkingFeed(before)
            try body(working)
            if working.isChanged { try folder.replace(before, with: try working.retrieve()) }
        }
    }

    /// Stores the bytes if the cached feed has an image with this URL; otherwise does nothing.
    ///
    /// - Throws: ``FeedStoreError``.
    public func insert(_ data: Data, for url: URL) async throws {
        try await perform(.exclusive) { try $0.insert(data, for: url) }
    }

    /// Returns the bytes for this URL, or nil when there are none.
    ///
    /// - Throws: ``FeedStoreError``.
    public func retrieve(dataForURL url: URL) async throws -> Data? {
        try await perform(.shared) { try $0.data(for: url) }
    }

    private func perform<Value: Sendable>(
        _ mode: FileLock.Mode,
        _ body: @escaping @Sendable (FeedFolder) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [folder, locations, lock] in
                continuation.resume(
                    with: Result {
                        // Systems clean up the folders of caches, so this one may be gone.
                        try locations.makeFolder()
                        return try lock.withLock(mode) { try body(folder) }
                    }
                )
            }
        }
    }
}
