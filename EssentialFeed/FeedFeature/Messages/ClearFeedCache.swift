public import Duet

/// Deletes the cached feed with its images, whatever its age.
public struct ClearFeedCache: Command, Hashable {
    /// Creates the command.
    public init() {}
}
