/// A dependency of a command handler that remembers a number.
public protocol Memory: Sendable {
    /// Replaces the remembered number.
    func remember(_ number: Int)
}
