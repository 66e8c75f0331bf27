/// A way on which messages come into a process from outside, such as HTTP.
public struct Carrier: Hashable, Sendable {
    /// The name, for errors.
    public let name: String

    /// Requests and responses of HTTP.
    public static let http = Carrier("HTTP")

    /// A cluster.
    public static let cluster = Carrier("a cluster")

    /// Creates a carrier, for a module that carries messages in its own way.
    ///
    /// It takes its messages from ``MessageAPI/entries(of:)``, and dispatches what it receives behind
    /// ``Dispatcher/authorizing(_:)``, for the principal of the sender.
    public init(_ name: String) {
        self.name = name
    }
}
