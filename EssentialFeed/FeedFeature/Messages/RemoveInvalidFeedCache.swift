public import Duet

/// Deletes the cached feed if it has expired or cannot be read; keeps a usable one.
public struct RemoveInvalidFeedCache: Command, Hashable {
    /// Creates the command.
    public init() {}
}
