import DuetHummingbird

extension AccessToken {
    /// What is kept of the token: its SHA-256 hash in 64 hexadecimal digits.
    public var hash: String { "\(TokenHash(of: text))" }
}
