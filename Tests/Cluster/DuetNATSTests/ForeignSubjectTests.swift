#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import Foundation
    import TestSupport
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct ForeignSubjectTests {
        @Test(arguments: ["test.command.0", "$JS.API.STREAM.DELETE.test_COMMANDS", "other.inbox.a", "_INBOX.a"])
        func `a request whose response goes elsewhere than to a node is not handled`(reply: String) async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                let handled = Monitor(0)
                _ = try await node.queries.serve("route", limit: 1) { request in
                    handled.update { $0 += 1 }
                    return request
                }
                _ = try await node.commands.append(.sample("1"))
                let stranger = try RawClient(server)
                try stranger.publish("test.query.route", reply: reply, "{}")
                _ = try stranger.received()
                // Handled after the request of the stranger.
                _ = try await node.queries.ask("route", Envelope(), timeout: .seconds(3_600))
                #expect(handled.read { $0 } == 1)
                #expect(try await node.commands.statistics() == LogStatistics(waiting: 1))
                await node.close()
            }
        }

        @Test func `requests with one subject for their responses count each`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                let gate = Gate()
                let running = Monitor((now: 0, most: 0, ended: 0))
                _ = try await node.queries.serve("route", limit: 2) { request in
                    running.update { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.ended) }
                    try? await gate.pass()
                    running.update { $0 = ($0.now - 1, $0.most, $0.ended + 1) }
                    return request
                }
                let stranger = try RawClient(server)
                for _ in 0..<10 { try stranger.publish("test.query.route", reply: "test.inbox.a.1") }
                _ = try stranger.received()
                await gate.arrivals(2)
                gate.open()
                try await running.wait { $0.ended == 10 ? () : nil }
                #expect(running.read { $0.most } == 2)
                await node.close()
            }
        }

        @Test func `requests for positions that the log does not have keep no other one waiting`() async throws {
            try await NATSServer.run { server in
                let (node, shop) = (try await server.node(), Shop())
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // Two hundred requests that wait would take days.
                    let options = ClusterOptions(
                        timeout: .seconds(3_600),
                        attemptTimeout: .seconds(3_600),
                        concurrency: 2
                    )
                    let queries = MessageAPI.open { LoadStock.self }
                    let worker = try ClusterWorker(queries, try shop.dispatcher(), on: node, options: options)
                    group.addTask { try await worker.run() }
                    let remote = try ClusterDispatcher(Shop.messages, on: node, options: options)
                    #expect(try await remote.dispatch(LoadStock(item: "tea")) == 0)
                    let headers =
                        "NATS/1.0\r\nEnv-Duet-Deadline: 86400000\r\n"
                        + "Env-Duet-Write-Token: 0-18446744073709551615\r\n\r\n"
                    let (body, count) = (#"{"item":"tea"}"#, headers.utf8.count)
                    let route = "test.query.\(LoadStock.messageName.replacing(".", with: "=2E"))"
                    let stranger = try RawClient(server)
                    for _ in 0..<200 {
                        try stranger.send(
                            "HPUB \(route) test.inbox.a.1 \(count) \(count + body.utf8.count)\r\n\(headers)\(body)"
                        )
                    }
                    _ = try stranger.received()
                    #expect(try await remote.dispatch(LoadStock(item: "tea")) == 0)
                    group.cancelAll()
                    try await group.waitForAll()
                }
                await node.close()
            }
        }

        @Test func `a follower goes on after messages that a stranger sends to it`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                let stranger = try RawClient(server)
                try stranger.send("SUB $JS.API.CONSUMER.CREATE.> 1\r\nSUB $JS.FC.> 2")
                _ = try stranger.received()
                let follower = try await node.backplane.follow()
                let request = try stranger.received(until: "deliver_subject")
                let inbox = try #require(request.firstMatch(of: #/"deliver_subject":"([^"]+)"/#)?.output.1)
                for sequence in ["18446744073709551615", "4611686018427387904", "4611686018427387903", "0", "-1", "x"] {
                    for first in ["x", "$JS.x", "$JS"] {
                        try stranger.publish(String(inbox), reply: "\(first).ACK.a.b.1.\(sequence).1.1.0", "{}")
                    }
                }
                try stranger.send("HPUB \(inbox) test.command.0 38 38\r\nNATS/1.0 100 FlowControl Request\r\n\r\n\r\n")
                let stalled = "NATS/1.0 100 Idle Heartbeat\r\nNats-Consumer-Stalled: $JS.FC.a test.command.0\r\n\r\n"
                try stranger.send("HPUB \(inbox) \(stalled.utf8.count) \(stalled.utf8.count)\r\n\(stalled)")
                _ = try stranger.received()
                let event = Envelope(body: Data("event".utf8))
                let position = try await node.backplane.publish(event)
                var events = follower.events.makeAsyncIterator()
                #expect(await events.next() == .event(event, position: position))
                #expect(try await node.commands.statistics() == LogStatistics())
                // The node has sent all that it sends for the messages of the stranger.
                let sent = try stranger.received()
                #expect(!sent.contains("$JS.FC.a"))
                await node.close()
            }
        }
    }
#endif
