import Duet
import DuetCluster
import DuetContext
import DuetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct DispatchTests {
    @Test(arguments: ClusterDispatchContract.allCases)
    func `dispatchers and workers in one process keep their contract`(clause: ClusterDispatchContract) async throws {
        let cluster = InProcessCluster()
        try await clause.verify { _ in
            let node = cluster.node()
            return ClusterNode(node) { node.disconnect() }
        }
    }

    @Test func `a query that no node serves fails at its deadline`() async throws {
        let remote = InProcessCluster().dispatcher(.test) { Shop.messages }
        await #expect(throws: TransportError.noNode(route: LoadStock.messageName)) {
            try await withDeadline(in: .milliseconds(100)) { try await remote.dispatch(LoadStock(item: "tea")) }
        }
    }

    @Test func `a message that is not listed is refused, and the error names the remedy`() async throws {
        let remote = InProcessCluster().dispatcher { LoadStock.self }
        let error = await #expect(throws: ClusterError.notListed(message: LoadCaller.messageName)) {
            try await remote.dispatch(LoadCaller())
        }
        #expect(error?.description.contains("Add DuetTesting.LoadCaller.self to it.") == true)
        let twice = InProcessCluster().dispatcher {
            LoadStock.self
            LoadStock.self
        }
        await #expect(throws: ClusterError.listedTwice(message: LoadStock.messageName)) {
            try await twice.dispatch(LoadStock(item: "tea"))
        }
    }

    @Test(arguments: ["", "1", "1-", "-1-2", "a-b", "1-2-3", "1-99999999999999999999"])
    func `other text is no token`(text: String) {
        #expect((WriteToken(text: text) == nil) == !text.isEmpty)
    }
}

extension ClusterOptions {
    /// Options for short tests.
    static var test: ClusterOptions {
        ClusterOptions(
            processing: ProcessingOptions(attempts: 4, redelivery: .milliseconds(500)),
            handlingDelays: RetryPolicy(backoff: .constant(.milliseconds(5)), jitter: false)
        )
    }
}
