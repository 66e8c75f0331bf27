/// An address that cannot be the base of the server's addresses.
public struct InvalidBaseURL: Error, Hashable, Sendable {
    /// The address, without its password.
    public let url: String

    /// What is wrong with it and what it must be.
    public let reason: String
}

extension InvalidBaseURL: CustomStringConvertible {
    /// The address and what is wrong with it.
    public var description: String {
        "\(url) cannot be the server's address: \(reason)."
    }
}
