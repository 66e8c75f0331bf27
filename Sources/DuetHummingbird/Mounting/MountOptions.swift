/// What holds for all messages of an API that a router serves.
public struct MountOptions: Sendable {
    /// The hosts that requests are answered for; nil for any.
    public var hosts: AllowedHosts?

    /// The web pages that may use the API from a browser; nil for those of its own origin only.
    public var cors: CORSPolicy?

    /// The largest body of a message that is JSON, in bytes.
    public var maximumJSONBody: Int

    /// The largest body of a message that is bytes of another media type, in bytes.
    public var maximumBytesBody: Int

    /// How long a message may take, from when its request arrived; nil for as long as the client waits and asks for.
    ///
    /// A client asks for less with the field `Request-Timeout`, a number of milliseconds. When the time is up the
    /// handler is cancelled,
    /// and the client is answered with 504 as soon as it has ended.
    public var maximumDuration: Duration?

    /// What tells the time that handlers take.
    public var clock: any Clock<Duration>

    /// Bodies of 64 KiB of JSON or 16 MiB of bytes, any host, no other origin and no limit of time, unless told
    /// otherwise.
    public init(
        hosts: AllowedHosts? = nil,
        cors: CORSPolicy? = nil,
        maximumJSONBody: Int = 65_536,
        maximumBytesBody: Int = 16_777_216,
        maximumDuration: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.hosts = hosts
        self.cors = cors
        self.maximumJSONBody = maximumJSONBody
        self.maximumBytesBody = maximumBytesBody
        self.maximumDuration = maximumDuration
        self.clock = clock
    }
}
