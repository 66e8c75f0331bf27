public import Duet

/// A command whose handler returns immediately, so that only the dispatch is measured.
public struct Remember: Command {
    /// The number to remember.
    public let number: Int

    /// Creates a command to remember `number`.
    public init(number: Int) {
        self.number = number
    }
}
