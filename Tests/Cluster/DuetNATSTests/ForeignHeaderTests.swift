#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import Foundation
    import TestSupport
    import Testing

    /// Headers and subjects that look like those of the server, and are a peer's.
    @Suite(.timeLimit(.minutes(5))) struct ForeignHeaderTests {
        @Test(arguments: [
            "NATS/1.0\r\nStatus: 1", "NATS/1.0\r\nStatus: 503", "NATS/1.0 100 Idle Heartbeat",
            "NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 9",
            "NATS/1.0 100 FlowControl Request\r\nNats-Consumer-Stalled: $JS.FC.test_EVENTS.a.b",
        ])
        func `a stored message is an event whatever its headers`(headers: String) async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                let follower = try await node.backplane.follow()
                let stranger = try RawClient(server)
                try stranger.send("SUB $JS.API.CONSUMER.CREATE.> 1\r\nSUB $JS.FC.> 2")
                try stranger.publish("test.event", headers: headers, "{}")
                _ = try stranger.received()
                let event = Envelope(body: Data("event".utf8))
                let position = try await node.backplane.publish(event)
                var events = follower.events.makeAsyncIterator()
                #expect(await events.next() == .event(Envelope(body: Data("{}".utf8)), position: position - 1))
                #expect(await events.next() == .event(event, position: position))
                let sent = try stranger.received()
                #expect(sent == "PONG\r\n", "the node begins again, or sends what the message asks for")
                #expect(try stranger.consumers(of: "test_EVENTS") == 1)
                await node.close()
            }
        }

        @Test func `a stranger cannot have consumers created faster than the pauses, or accumulate`() async throws {
            try await NATSServer.run { server in
                let clock = ManualClock()
                var options = NATSOptions.test
                options.clock = clock
                let node = try await server.node("test", options)
                let stranger = try RawClient(server)
                try stranger.send("SUB $JS.API.CONSUMER.CREATE.> 1")
                _ = try stranger.received()
                let follower = try await node.backplane.follow()
                var request = try stranger.received(until: "deliver_subject")
                for pause in [0, 1, 2, 4] {
                    let inboxes = request.matches(of: #/"deliver_subject":"([^"]+)"/#)
                    let inbox = try #require(inboxes.last?.output.1)
                    let forged = "NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 9"
                    try stranger.publish(String(inbox), headers: forged)
                    let start = clock.now
                    request = try stranger.received()
                    while !request.contains("deliver_subject") {
                        await clock.nextSleeper()
                        clock.advance(by: .seconds(1))
                        request = try stranger.received()
                    }
                    #expect(start.duration(to: clock.now) >= .seconds(pause))
                }
                let event = Envelope(body: Data("event".utf8))
                let position = try await node.backplane.publish(event)
                var events = follower.events.makeAsyncIterator()
                #expect(await events.next() == .event(event, position: position))
                #expect(try stranger.consumers(of: "test_EVENTS") == 1)
                await node.close()
                #expect(try stranger.consumers(of: "test_EVENTS") == 0)
            }
        }

        @Test func `nobody can guess where the next response goes`() async throws {
            try await NATSServer.run { server in
                let (asking, serving) = (try await server.node(), try await server.node())
                let (gate, began) = (Gate(), Monitor(0))
                _ = try await serving.queries.serve("route", limit: 1) { request in
                    began.update { $0 += 1 }
                    try? await gate.pass()
                    return request
                }
                let stranger = try RawClient(server)
                try stranger.send("SUB test.query.route 1")
                _ = try stranger.received()
                let request = Envelope(body: Data("text".utf8))
                let first = Task { try await asking.queries.ask("route", request, timeout: .seconds(3_600)) }
                try await began.wait { $0 == 1 ? () : nil }
                gate.open()
                #expect(try await first.value == request)
                let seen = try stranger.received(until: "MSG test.query.route")
                let reply = try #require(seen.firstMatch(of: #/(test\.inbox\.\S+\.)(\d+)/#)?.output)
                let number = try #require(UInt64(reply.2))
                let second = Task { try await asking.queries.ask("route", request, timeout: .seconds(3_600)) }
                try await began.wait { $0 == 2 ? () : nil }
                for next in 1...9 {
                    try stranger.publish("\(reply.1)\(number &+ UInt64(next))", headers: "NATS/1.0 503")
                }
                _ = try stranger.received()
                #expect(try await second.value == request)
                await serving.close()
                await asking.close()
            }
        }

        @Test func `commands from the consumer of a stranger are not handled`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                let handled = Monitor<[String]>([])
                let stranger = try RawClient(server)
                try stranger.send("SUB $JS.API.CONSUMER.MSG.NEXT.> 1\r\nSUB $JS.ACK.> 2")
                _ = try stranger.received()
                let registration = try await node.commands.process(ProcessingOptions()) { delivery in
                    handled.update { $0.append(delivery.command.id) }
                    return .done
                }
                for id in ["1", "2", "3"] { _ = try await node.commands.append(.sample(id, key: "key")) }
                try await handled.wait { $0.count == 3 ? () : nil }
                let seen = try stranger.received(until: "+NXT")
                let inboxes = Set(seen.matches(of: #/(test\.inbox\.\w+)\.\d+ /#).map(\.output.1))
                #expect(!inboxes.isEmpty)
                for (number, inbox) in inboxes.enumerated() {
                    let configuration =
                        #"{"stream_name":"test_COMMANDS","config":{"durable_name":"a\#(number)","#
                        + #""deliver_subject":"\#(inbox).1","deliver_policy":"all","ack_policy":"none"}}"#
                    try stranger.send("SUB \(inbox).1 \(number + 3)")
                    try stranger.publish("$JS.API.CONSUMER.DURABLE.CREATE.test_COMMANDS.a\(number)", configuration)
                    _ = try stranger.received(until: "$JS.ACK.test_COMMANDS.a\(number).1.3.3.")
                }
                _ = try await node.commands.append(.sample("4", key: "key"))
                try await handled.wait { $0.contains("4") ? () : nil }
                #expect(handled.read { $0 } == ["1", "2", "3", "4"])
                await registration.stop()
                await node.close()
            }
        }
    }
#endif
