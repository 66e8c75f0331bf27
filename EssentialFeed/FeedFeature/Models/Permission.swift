/// What a token may permit whoever bears it; reading needs none.
public enum Permission: String, CaseIterable, Codable, Sendable {
    /// Publishing and removing images.
    case publish

    /// Posting comments where that is not open to everybody.
    case comment
}
