/// A permission that a token may grant; reading needs none.
public enum Permission: String, CaseIterable, Codable, Sendable {
    /// Publishing and removing images.
    case publish

    /// Posting comments, if the backend restricts it.
    case comment
}
