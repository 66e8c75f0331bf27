/// An error that tests throw and recognize.
public struct AnyError: Error, Hashable, Sendable {
    /// The name that identifies the error.
    public let name: String

    /// Creates an error with a name.
    public init(_ name: String = "any error") {
        self.name = name
    }
}
