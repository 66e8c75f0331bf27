/// A permission that a token may grant; reading needs none.
public enum Permission: String, CaseIterable, Codable, Sendable {
    /// Publishing images, and removing and correcting one's own with their comments.
    case publish

    /// Removing and correcting everybody's images, and removing comments.
    case moderate

    /// Posting comments, if the backend restricts it.
    case comment
}
