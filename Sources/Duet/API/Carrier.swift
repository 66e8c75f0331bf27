/// A way on which messages come into a process from outside, such as HTTP.
public struct Carrier: Hashable, Sendable {
    /// The name, for errors.
    public let name: String

    /// Creates a carrier, for a module that carries messages in its own way.
    public init(_ name: String) {
        self.name = name
    }
}
