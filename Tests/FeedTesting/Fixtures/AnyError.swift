/// An error that tests recognise as the one they put in.
public struct AnyError: Error, Hashable, Sendable {
    /// What tells it from others.
    public let name: String

    /// Makes an error of a name.
    public init(_ name: String = "any error") {
        self.name = name
    }
}
