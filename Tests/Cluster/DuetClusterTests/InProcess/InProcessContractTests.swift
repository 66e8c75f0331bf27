import DuetCluster
import DuetContracts
import Testing

@Suite(.timeLimit(.minutes(5))) struct InProcessContractTests {
    @Test(arguments: ClusterEngineContract.allCases)
    func `a cluster in one process keeps the contract of engines`(clause: ClusterEngineContract) async throws {
        let cluster = InProcessCluster()
        try await clause.verify(limit: .seconds(3_600)) { _ in
            let node = cluster.node()
            return ClusterNode(node) { node.disconnect() }
        }
    }

    @Test(arguments: FaultyCluster.Fault.allCases)
    func `the contract detects an engine with a fault`(fault: FaultyCluster.Fault) async throws {
        for description in fault.clauses {
            let clause = try #require(ClusterEngineContract.allCases.first { $0.description == description })
            await #expect(throws: (any Error).self, "\(clause)") {
                try await clause.verify(limit: .seconds(1), FaultyCluster.nodes(fault))
            }
        }
    }

    @Test func `each clause but the first detects a fault`() {
        let detecting = FaultyCluster.Fault.allCases.flatMap(\.clauses)
        let missing = Set(ClusterEngineContract.allCases.map(\.description)).subtracting(detecting)
        #expect(missing == ["a query is answered by a node that serves its route"])
    }
}
