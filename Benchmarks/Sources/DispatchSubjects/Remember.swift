public import Duet

/// A command that is done at once, so that what is measured is the way to its handler.
public struct Remember: Command {
    /// What is remembered.
    public let number: Int

    /// Tells the handler to remember `number`.
    public init(number: Int) {
        self.number = number
    }
}
