import DuetHTTP
import Synchronization

/// Credentials that are added nearer to the network, where the cache does not see whose they are; that is said once.
final class HiddenCredentials: Sendable {
    private let layer: String
    private let report: @Sendable (HTTPCacheReport) -> Void
    private let isTold = Mutex(false)

    /// Nil when nothing that the client goes through says that it adds any.
    init?(in client: any HTTPClient, report: @escaping @Sendable (HTTPCacheReport) -> Void) {
        guard let layer = client.credentialsLayer else { return nil }
        self.layer = layer
        self.report = report
    }

    func tell() {
        let isFirst = isTold.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        if isFirst { report(.credentialsHidden(by: layer)) }
    }
}
