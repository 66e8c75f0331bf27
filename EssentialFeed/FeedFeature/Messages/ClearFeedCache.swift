public import Duet

/// Deletes the cached feed with its images, whatever its age.
public struct ClearFeedCache: Command, Hashable {
    /// Makes the command.
    public init() {}
}
