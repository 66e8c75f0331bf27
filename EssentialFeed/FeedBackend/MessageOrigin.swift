import Duet
import DuetHTTP

/// Where a message comes from, which decides about the quota of its sender.
package struct MessageOrigin: Sendable {
    private let address: @Sendable () -> String?

    /// - Parameter address: Returns the IP address; nil for a sender without a quota, such as a node of a cluster,
    ///   whose page limits its readers. Only the handler of a comment asks for it.
    package init(address: @escaping @Sendable () -> String? = { nil }) {
        self.address = address
    }

    /// Uses the quota of the principal, or else of the address.
    ///
    /// - Returns: The time until the sender may try again; nil if the quota was used, or the sender has none.
    func use(_ quota: ClientQuota) -> Duration? {
        guard let address = address() else { return nil }
        return Principal.current.map { quota.use(by: $0) } ?? quota.use(by: address)
    }
}
