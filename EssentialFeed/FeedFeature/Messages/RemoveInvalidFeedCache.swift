public import Duet

/// Deletes the cached feed if it has expired or cannot be read; leaves a usable one alone.
public struct RemoveInvalidFeedCache: Command, Hashable {
    /// Makes the command.
    public init() {}
}
