/// Options for live queries, whose values a server sends again when they have changed.
///
/// ```swift
/// let options = MountOptions(live: LiveOptions(streamsPerClient: 10))
/// try router.mount(commentsAPI, dispatcher, options: options)
/// ```
public struct LiveOptions: Sendable {
    /// The number of live queries that may be observed at the same time; the response to a further one is 503.
    public var streams: Int

    /// The number of live queries that one client may observe at the same time; the response to a further one is 429.
    ///
    /// A client is a principal, or for anonymous connections an address as for ``ClientQuota``. Behind a reverse proxy,
    /// all anonymous clients have one address.
    public var streamsPerClient: Int

    /// The time after which something is sent, so that both sides notice a lost connection.
    ///
    /// A client must wait longer for each piece of a body. Duet's clients wait 30 seconds by default.
    public var heartbeat: Duration

    /// How long a live query is observed until the client must connect again, and is authorized again.
    public var maximumDuration: Duration

    /// The time that a client waits before it connects again.
    public var reconnectDelay: Duration

    /// Creates options.
    public init(
        streams: Int = 2_000,
        streamsPerClient: Int = 32,
        heartbeat: Duration = .seconds(15),
        maximumDuration: Duration = .seconds(1_800),
        reconnectDelay: Duration = .seconds(1)
    ) {
        self.streams = streams
        self.streamsPerClient = streamsPerClient
        self.heartbeat = heartbeat
        self.maximumDuration = maximumDuration
        self.reconnectDelay = reconnectDelay
    }

    var faults: [String] {
        var faults: [String] = []
        if streams < 0 || streamsPerClient < 0 { faults.append("The number of live queries must not be negative.") }
        if heartbeat <= .zero || maximumDuration <= .zero {
            faults.append("The heartbeat and the maximum duration of live queries must be positive.")
        }
        return faults
    }
}
