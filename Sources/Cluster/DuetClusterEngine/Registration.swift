/// Work that a node takes from the cluster, until it is stopped.
public protocol Registration: Sendable {
    /// Takes no further work, and returns when the work that was taken has ended.
    func stop() async
}
