import Duet
import DuetCluster
import DuetClusterEngine
import DuetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AbandonedCommandTests {
    private let shop = Shop()
    private let cluster = InProcessCluster()

    @Test func `a command whose nodes were lost fails at its sender, and all nodes learn that it may have run`()
        async throws
    {
        let (lost, handler) = (cluster.node(), Gate())
        let once = ProcessingOptions(attempts: 1, redelivery: .milliseconds(1))
        _ = try await lost.commands.process(once) { _ in
            try? await handler.pass()
            return .done
        }
        let events = try await cluster.backplane.follow().events
        let remote = try ClusterDispatcher(Shop.messages, on: cluster, options: .test)
        let sending = Task { try await remote.dispatch(AddStock(item: "tea", count: 1)) }
        await handler.arrivals(1)
        var options = ClusterOptions.test
        (options.attempts, options.redelivery) = (once.attempts, once.redelivery)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let worker = try ClusterWorker(Shop.messages, try shop.dispatcher(), on: cluster.node(), options: options)
            group.addTask { try await worker.run() }
            lost.disconnect()
            let reason = "no attempt to handle it ended; see the logs of the nodes"
            let error = ClusterError.failed(message: AddStock.messageName, reason: reason)
            await #expect(throws: error) { try await sending.value }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(try await cluster.commands.deadLetters.list(limit: 10).map(\.attempts) == [1])
        #expect(shop.handled == [])
        for await case .event(let envelope, _) in events where envelope.headers["Duet-Event"] == "ended" {
            #expect(envelope.headers["Duet-Changed"] == "by rules")
            // The caches of all nodes carry out the rules.
            #expect(envelope.headers["Duet-Node"] == "")
            break
        }
    }
}
