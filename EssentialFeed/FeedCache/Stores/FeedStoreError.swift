import FeedFeature

/// Why a store could not do what it was asked to.
@nonexhaustive
public enum FeedStoreError: Error {
    /// The folder that the store lives in is not there and cannot be made.
    case folderUnavailable(path: String, underlying: any Error)

    /// What is in the file is not a cache, or is damaged.
    case unreadable(path: String, reason: String)

    /// The file was written by a newer version of this program.
    case newerSchema(path: String, found: String, supported: String)

    /// Another process kept the store locked for as long as this one was ready to wait.
    case locked(path: String, after: Duration)

    /// The system refused to read or write: the disk is full, for example, or may not be written to.
    case failed(path: String, underlying: any Error)
}

extension FeedStoreError: CustomStringConvertible {
    /// What failed, in which file, and what to do about it.
    public var description: String {
        switch self {
        case .folderUnavailable(let path, let underlying):
            "The cache cannot be kept in \(path): \(underlying.plainReason). Choose a folder that can be made and written to."
        case .unreadable(let path, let reason):
            "The cache file \(path) is damaged: \(reason). Remove the cache, or load the feed again to replace it."
        case .newerSchema(let path, let found, let supported):
            """
            The cache file \(path) has schema \(found); this program knows schemas up to \(supported). \
            Update the program, or choose another place for its cache.
            """
        case .locked(let path, let duration):
            "The cache \(path) was in use by another process for \(duration). End that process or try again later."
        case .failed(let path, let underlying):
            "The cache \(path) could not be read or written: \(underlying.plainReason). Is the disk full or read-only?"
        }
    }
}

extension FeedStoreError {
    /// Whether setting the store aside and making a new one is of use.
    package var concernsContent: Bool {
        switch self {
        case .unreadable, .newerSchema: true
        case .folderUnavailable, .locked, .failed: false
        }
    }
}
