/// Options for all messages of an API that a server serves.
///
/// ```swift
/// let options = MountOptions(
///     cors: CORSPolicy(origins: ["https://example.org"]),
///     maximumJSONBody: 16_384,
///     maximumDuration: .seconds(10)
/// )
/// try router.mount(speakers, dispatcher, at: "/api", authenticator: tokens, options: options)
/// ```
public struct MountOptions: Sendable {
    package var settings: HTTPSettings
    package var statuses: [SuccessStatus]
    package var refusals: RefusalFormat?
    package var address: BaseURL?
    package var cors: CORSPolicy?
    package var maximumJSONBody: Int
    package var maximumBytesBody: Int
    package var anonymousCommands: ClientQuota?
    package var maximumDuration: Duration?
    package var keepsContents: Bool
    package var live: LiveOptions
    package var groupKey: String?
    package var clock: any Clock<Duration>

    /// Creates options with bodies of 64 KiB of JSON or 16 MiB of bytes, no other origin, no quota and no time limit
    /// as defaults.
    ///
    /// - Parameters:
    ///   - settings: The settings that the messages share with their clients.
    ///   - statuses: Statuses that only the server can decide.
    ///   - refusals: The format of all refusals and failures, also of unknown paths; nil for RFC 9457.
    ///
    ///     Fields such as `WWW-Authenticate` and `Retry-After` stay as they are. A Duet client still catches
    ///     `AuthorizationError`, and declared errors without properties, by their types.
    ///   - address: The beginning of the links in payloads, for a ``/Duet/LinkingQuery``; nil for the scheme and the
    ///     host of each request.
    ///   - cors: The web pages of other origins that may use the API from a browser; nil for none.
    ///   - maximumJSONBody: The largest JSON body of a message, in bytes.
    ///   - maximumBytesBody: The largest body of another media type, in bytes.
    ///   - anonymousCommands: How often an anonymous client may send a command; nil for no limit by the server.
    ///
    ///     The response to a further command is 429 with `Retry-After`. Clients whose address the server does not know,
    ///     as of a Hummingbird application without `ServerLimits`, have no quota.
    ///   - maximumDuration: How long a message may take from when its request arrived; nil for no limit by the server.
    ///
    ///     A client asks for less time with the field `Request-Timeout`, a number of milliseconds. When the time is up,
    ///     the handler is canceled. The response is 504 once the handler has ended.
    ///   - keepsContents: Whether the content of a response is kept beside the value of a cache that it was made from,
    ///     for as long as the cache keeps the value.
    ///   - live: Options for live queries.
    ///   - groupKey: The key of the names in `Cache-Groups` and `Cache-Group-Invalidation` (RFC 9875), the same on all
    ///     servers of an origin; by default the name of the list, so that the names of tables and columns can be
    ///     guessed from them. Another key makes all values of clients stale once.
    ///   - clock: The clock that measures the time of handlers, and the heartbeats of live queries.
    public init(
        settings: HTTPSettings = HTTPSettings(),
        statuses: [SuccessStatus] = [],
        refusals: RefusalFormat? = nil,
        address: BaseURL? = nil,
        cors: CORSPolicy? = nil,
        maximumJSONBody: Int = 65_536,
        maximumBytesBody: Int = 16_777_216,
        anonymousCommands: ClientQuota? = nil,
        maximumDuration: Duration? = nil,
        keepsContents: Bool = true,
        live: LiveOptions = LiveOptions(),
        groupKey: String? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.settings = settings
        self.statuses = statuses
        self.refusals = refusals
        self.address = address
        self.cors = cors
        self.maximumJSONBody = maximumJSONBody
        self.maximumBytesBody = maximumBytesBody
        self.anonymousCommands = anonymousCommands
        self.maximumDuration = maximumDuration
        self.keepsContents = keepsContents
        self.live = live
        self.groupKey = groupKey
        self.clock = clock
    }
}

extension MountOptions {
    var faults: [String] {
        var faults: [String] = []
        if maximumJSONBody < 0 || maximumBytesBody < 0 {
            faults.append("The maximum size of a body must not be negative.")
        }
        if let maximumDuration, maximumDuration <= .zero {
            faults.append("The maximum duration must be positive.")
        }
        return faults + live.faults + (cors?.faults ?? [])
    }
}
