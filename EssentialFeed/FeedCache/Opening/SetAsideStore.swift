public import Foundation

/// A store that could not be opened, kept with its bytes under another name.
public struct SetAsideStore: Sendable {
    /// Where its bytes are now.
    public let location: URL

    /// Why it could not be opened.
    public let reason: FeedStoreError

    /// Makes the note of its parts.
    public init(location: URL, reason: FeedStoreError) {
        self.location = location
        self.reason = reason
    }
}

extension SetAsideStore: CustomStringConvertible {
    /// What happened, for the log and the screen.
    public var description: String {
        "The cache started anew, because the one there could not be used; it is kept as \(location.path). \(reason)"
    }
}
