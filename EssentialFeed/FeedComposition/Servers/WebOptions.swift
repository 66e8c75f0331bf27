/// Where the page is served.
public struct WebOptions: Sendable {
    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 takes any that is free.
    public let port: Int

    /// Makes options of their parts; listens on this machine only unless told otherwise.
    public init(host: String = "127.0.0.1", port: Int = 8000) {
        self.host = host
        self.port = port
    }
}
