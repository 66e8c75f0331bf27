/// An error of a store that may mean that something else removed the response while it was written or read.
///
/// A cache treats a removal as a miss. It does not report it as a failure of the store.
public protocol HTTPCacheRemovalError: Error {
    /// Whether the response was removed, by another process for example.
    var isRemoval: Bool { get }
}
