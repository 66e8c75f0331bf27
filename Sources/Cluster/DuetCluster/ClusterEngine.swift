public import DuetClusterEngine

/// The connection of one node to a cluster, which carries bytes.
///
/// ``InProcessCluster`` and `NATSCluster` are engines. `ClusterEngineContract` in `DuetContracts` checks another one.
public protocol ClusterEngine: Sendable {
    /// Carries queries.
    var queries: any QueryTransport { get }

    /// Keeps commands.
    var commands: any CommandLog { get }

    /// Carries invalidations.
    var backplane: any Backplane { get }
}
