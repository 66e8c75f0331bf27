/// The options of the page server.
public struct WebOptions: Sendable {
    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 for any free one.
    public let port: Int

    /// Creates options; by default the server listens on this machine only.
    public init(host: String = "127.0.0.1", port: Int = 8000) {
        self.host = host
        self.port = port
    }
}
