/// Options for live queries, whose values a server sends again when they have changed.
///
/// ```swift
/// let options = MountOptions(live: LiveOptions(streamsPerClient: 10))
/// try router.mount(commentsAPI, dispatcher, options: options)
/// ```
public struct LiveOptions: Sendable {
    package var streams: Int
    package var streamsPerClient: Int
    package var heartbeat: Duration
    package var maximumDuration: Duration
    package var reconnectDelay: Duration

    /// Creates options.
    ///
    /// - Parameters:
    ///   - streams: The number of live queries that may be observed at the same time; the response to a further one is
    ///     503.
    ///   - streamsPerClient: The number of live queries that one client may observe at the same time; the response to a
    ///     further one is 429.
    ///
    ///     A client is a principal, or for anonymous connections an address as for ``ClientQuota``. Behind a reverse
    ///     proxy, all anonymous clients have one address.
    ///   - heartbeat: The time after which something is sent, so that both sides notice a lost connection.
    ///
    ///     A client must wait longer for each piece of a body. Duet's clients wait 30 seconds by default.
    ///   - maximumDuration: How long a live query is observed until the client must connect again, and is authorized
    ///     again.
    ///   - reconnectDelay: The time that a client waits before it connects again.
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
