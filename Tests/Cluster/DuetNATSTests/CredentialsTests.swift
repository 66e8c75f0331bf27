#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct CredentialsTests {
        @Test func `a node works again after a server refused its password for a time`() async throws {
            try await Self.withNode { server, node, events in
                let follower = try await node.backplane.follow()
                let handled = Monitor(0)
                _ = try await node.queries.serve("route", limit: 1) { $0 }
                _ = try await node.commands.process(ProcessingOptions()) { _ in
                    handled.update { $0 += 1 }
                    return .done
                }
                try await Self.refuse(server, events)
                try await Self.restart(server, password: "old")
                let event = Envelope(body: Data("event".utf8))
                let position = try await node.backplane.publish(event)
                var iterator = follower.events.makeAsyncIterator()
                #expect(await iterator.next() == .event(event, position: position))
                #expect(try await node.queries.ask("route", event, timeout: .seconds(3_600)) == event)
                _ = try await node.commands.append(.sample("1"))
                try await handled.wait { $0 == 1 ? () : nil }
                await node.close()
                #expect(events.read { $0.count { if case .closed = $0 { true } else { false } } } == 1)
            }
        }

        @Test func `a node that its server refuses can be closed`() async throws {
            try await Self.withNode { server, node, events in
                _ = try await node.queries.serve("route", limit: 1) { $0 }
                _ = try await node.commands.process(ProcessingOptions()) { _ in .done }
                try await Self.refuse(server, events)
                await node.close()
                #expect(events.read { $0.last } == .closed(reason: "it was closed"))
            }
        }

        @Test(arguments: ["nats://ann:s3cret", "nats://ann:s3cret@127.0.0.1:port", "nats://127.0.0.1:s3cret"])
        func `an error of an invalid URL does not contain its password`(url: String) async throws {
            let error = await #expect(throws: TransportError.self) {
                try await NATSCluster.connect(to: [url], name: "test", options: .test)
            }
            #expect(!"\(try #require(error))".contains("s3cret"))
        }

        /// Runs a server and a node with its password, which records its events.
        private static func withNode(
            _ body: (NATSServer, NATSCluster, Monitor<[NATSEvent]>) async throws -> Void
        ) async throws {
            try await NATSServer.run(configuration: configuration(password: "old")) { server in
                let events = Monitor<[NATSEvent]>([])
                var options = NATSOptions.test
                options.credentials = .password("old", user: "ann")
                options.onEvent = { event in events.update { $0.append(event) } }
                try await body(server, try await server.node("test", options), events)
            }
        }

        /// Changes the password of the server, and returns when it has refused the node.
        private static func refuse(_ server: NATSServer, _ events: Monitor<[NATSEvent]>) async throws {
            try await restart(server, password: "new")
            let refusal = NATSEvent.disconnected(reason: "Authorization Violation")
            try await eventually("the library ends the connection") { events.read { $0.contains(refusal) } ? () : nil }
        }

        private static func restart(_ server: NATSServer, password: String) async throws {
            await server.kill()
            try server.configure(configuration(password: password))
            try await server.start()
        }

        private static func configuration(password: String) -> String {
            """
            jetstream: enabled
            authorization { users = [ { user: ann, password: \(password) } ] }
            """
        }
    }
#endif
