/// An address that no proxy can stand before.
public struct InvalidOrigin: Error, CustomStringConvertible {
    /// What is wrong with it.
    public let reason: String

    /// What is wrong, and what an address looks like.
    public var description: String {
        "This is not an origin: \(reason). Write one like http://127.0.0.1:8080"
    }
}
