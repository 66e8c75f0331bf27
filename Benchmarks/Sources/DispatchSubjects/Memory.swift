/// A dependency of a handler of commands: remembers a number.
public protocol Memory: Sendable {
    /// Remembers `number` in place of the one before.
    func remember(_ number: Int)
}
