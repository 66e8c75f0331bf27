public import Duet
import Synchronization

/// How often each client may do something, for example send a command without credentials.
///
/// ```swift
/// let quota = ClientQuota(30, per: .seconds(60))
/// try router.mount(notes, dispatcher, options: MountOptions(anonymousCommands: quota))
/// ```
///
/// A client may use its whole quota at once, and regains it evenly (the generic cell rate algorithm of ITU-T I.371). A
/// client is an IPv4 address, or the first 64 bits of an IPv6 address, which is what one household or server gets.
/// Behind a reverse proxy, all clients have the proxy's address.
public final class ClientQuota: Sendable {
    /// The number of clients that are remembered; others share one quota until the remembered ones have theirs back.
    private static let clientLimit = 10_000

    private struct State {
        /// The time at which each client has its whole quota back; nil for the other clients.
        var times: [ServedClient?: Duration] = [:]
        /// The time from which looking for clients with their whole quota is worth it again.
        var cleanup = Duration.zero
    }

    private let state = Mutex(State())
    private let interval: Duration
    private let burst: Duration
    private let elapsed: @Sendable () -> Duration

    /// Creates a quota.
    ///
    /// - Parameters:
    ///   - count: The number of times; at least one.
    ///   - duration: The time in which a client regains its whole quota.
    ///   - clock: Measures the time.
    public init(_ count: Int, per duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        interval = duration / max(1, count)
        burst = duration
        elapsed = clock.stopwatch()
    }

    /// Uses the quota of a client once, unless it is used up.
    ///
    /// - Parameter address: The IP address of the client; nil for a client in this process, which has no quota.
    /// - Returns: The time until the client may try again; nil if the quota was used.
    public func use(by address: String?) -> Duration? {
        address.flatMap { use(by: ServedClient(address: $0)) }
    }

    /// Uses the quota of a principal once, wherever it connects from, unless it is used up.
    ///
    /// - Returns: The time until the principal may try again; nil if the quota was used.
    public func use(by principal: Principal) -> Duration? { use(by: ServedClient(principal)) }

    private func use(by client: ServedClient) -> Duration? {
        let now = elapsed()
        return state.withLock { state in
            if state.times.count >= Self.clientLimit, now >= state.cleanup {
                state.times = state.times.filter { $0.value > now }
                state.cleanup = now + interval
            }
            let isKnown = state.times[client] != nil || state.times.count < Self.clientLimit
            let key = isKnown ? client : nil
            let time = max(state.times[key] ?? now, now) + interval
            guard time - now <= burst else { return time - now - burst }
            state.times[key] = time
            return nil
        }
    }
}
