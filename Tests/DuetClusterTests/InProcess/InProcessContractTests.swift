import DuetCluster
import DuetTesting
import Testing

struct InProcessContractTests {
    @Test(arguments: ClusterEngineContract.allCases)
    func `the cluster in one process keeps the contract of engines`(clause: ClusterEngineContract) async throws {
        let cluster = InProcessCluster()
        try await clause.verify { _ in
            let node = cluster.node()
            return ClusterNode(node) { node.disconnect() }
        }
    }
}
