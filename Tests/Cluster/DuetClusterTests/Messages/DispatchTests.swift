import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetContracts
import TestSupport
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
        let remote = try ClusterDispatcher(Shop.messages, on: InProcessCluster(), options: .test)
        await #expect(throws: TransportError.noNode(route: LoadStock.messageName)) {
            try await withDeadline(in: .milliseconds(100)) { try await remote.dispatch(LoadStock(item: "tea")) }
        }
    }

    @Test func `a message that is not listed is refused, and the error names the remedy`() async throws {
        let remote = try ClusterDispatcher(.open { LoadStock.self }, on: InProcessCluster())
        let error = await #expect(throws: MessageAPIError.self) { try await remote.dispatch(LoadCaller()) }
        #expect(error?.message == LoadCaller.messageName)
        #expect(error?.description.contains("add LoadCaller.self to its list") == true)
    }

    @Test func `a worker reports all faults of its list, and all missing handlers, when it is created`() throws {
        struct CloseDoor: Command, Codable {}
        let list = MessageAPI.open {
            LoadStock.self
            CloseShop.self
            LoadStock.self
            CountStock.self
            CloseDoor.self
        }
        let dispatcher = try Shop().dispatcher()
        for dispatcher: any Dispatcher in [dispatcher, dispatcher.authorizing(list)] {
            let error = #expect(throws: InvalidMessageAPI.self) {
                try ClusterWorker(list, dispatcher, on: InProcessCluster())
            }
            let remedy = "has no handler: give the dispatcher one, or leave the message out of the list."
            let faults = [
                "\(LoadStock.messageName) is listed twice. Remove one of them.",
                """
                \(CountStock.messageName) cannot be carried by a cluster: conform it, and the value of a query, to \
                Codable, or write CountStock.not(over: .cluster) in the list.
                """,
                "\(CloseShop.messageName) \(remedy)",
                "\(CloseDoor.messageName) \(remedy)",
            ]
            #expect(error?.faults == faults)
        }
    }

    @Test(arguments: ["", "1", "1-", "-1-2", "a-b", "1-2-3", "1-99999999999999999999"])
    func `other text is no token`(text: String) {
        #expect((WriteToken(text: text) == nil) == !text.isEmpty)
    }
}

extension ClusterOptions {
    /// Options for short tests, in which no sender and no attempt runs out of time.
    static var test: ClusterOptions {
        ClusterOptions(
            timeout: .seconds(3_600),
            attemptTimeout: .seconds(3_600),
            attempts: 4,
            redelivery: .milliseconds(500),
            handlingDelays: RetryPolicy(backoff: .constant(.milliseconds(5)), jitter: false)
        )
    }
}
