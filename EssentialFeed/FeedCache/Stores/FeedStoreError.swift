import FeedFeature

/// The reason why an operation of a store failed.
@nonexhaustive
public enum FeedStoreError: Error {
    /// The store's folder does not exist and cannot be created.
    case folderUnavailable(path: String, underlying: any Error)

    /// The file is damaged, or it is not a cache.
    case unreadable(path: String, reason: String)

    /// The file was written by a newer version of this program.
    case newerSchema(path: String, found: String, supported: String)

    /// Another process kept the store locked until this one stopped waiting.
    case locked(path: String, after: Duration)

    /// The system refused to read or write, for example because the disk is full or read-only.
    case failed(path: String, underlying: any Error)
}

extension FeedStoreError: CustomStringConvertible {
    /// The failure, its file, and what to do about it.
    public var description: String {
        switch self {
        case .folderUnavailable(let path, let underlying):
            """
            The cache cannot be stored in \(path): \(underlying.plainReason). \
            Choose a folder that can be created and written to.
            """
        case .unreadable(let path, let reason):
            "The cache file \(path) is damaged: \(reason). Remove the cache, or load the feed again to replace it."
        case .newerSchema(let path, let found, let supported):
            """
            The cache file \(path) has schema \(found); this program knows schemas up to \(supported). \
            Update the program, or choose another location for its cache.
            """
        case .locked(let path, let duration):
            "The cache \(path) was in use by another process for \(duration). End that process or try again later."
        case .failed(let path, let underlying):
            "The cache \(path) could not be read or written: \(underlying.plainReason). Is the disk full or read-only?"
        }
    }
}

extension FeedStoreError {
    /// Whether it helps to set the store aside and create a new one.
    package var concernsContent: Bool {
        switch self {
        case .unreadable, .newerSchema: true
        case .folderUnavailable, .locked, .failed: false
        }
    }
}
