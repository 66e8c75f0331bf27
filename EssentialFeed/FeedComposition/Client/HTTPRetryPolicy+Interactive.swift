import Duet
import DuetHTTP

extension HTTPRetryPolicy {
    /// The application's retry policy, for a user who waits: three attempts, with pauses of at most 0.3 seconds in
    /// total unless the server asks for more.
    static var interactive: HTTPRetryPolicy {
        HTTPRetryPolicy(
            maximumAttempts: 3,
            backoff: .exponential(initial: .milliseconds(100), maximum: .milliseconds(200)),
            maximumRetryAfter: .seconds(5)
        )
    }
}
