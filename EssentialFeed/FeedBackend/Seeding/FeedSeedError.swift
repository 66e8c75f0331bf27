/// What is wrong with a folder that the feed was to be seeded from.
public struct FeedSeedError: Error, Hashable, Sendable {
    /// The file that the fault is in.
    public let file: String

    /// The path to the fault within the manifest, such as `items[3].image`; nil when it is the file as a whole.
    public let key: String?

    /// What is wrong and what to do.
    public let reason: String
}

extension FeedSeedError: CustomStringConvertible {
    /// The file, the path to the fault within it, and what is wrong.
    public var description: String {
        [file, key.map { "\($0) \(reason)." } ?? "\(reason)."].joined(separator: ": ")
    }
}
