#if NATS
    import Duet
    import DuetCluster
    import DuetNATS
    import Foundation
    import Synchronization
    import Testing

    @Suite(.timeLimit(.minutes(1))) struct CredentialsTests {
        @Test func `a node works again after a server refused its password for a time`() async throws {
            try await NATSServer.run(configuration: Self.configuration(password: "old")) { server in
                let events = Mutex<[NATSEvent]>([])
                var options = NATSOptions.test
                options.credentials = .password("old", user: "ann")
                options.onEvent = { event in events.withLock { $0.append(event) } }
                let node = try await server.node("test", options)
                let follower = try await node.backplane.follow()
                let handled = Monitor(0)
                _ = try await node.queries.serve("route", limit: 1) { $0 }
                _ = try await node.commands.process(ProcessingOptions()) { _ in
                    handled.update { $0 += 1 }
                    return .done
                }
                await server.kill()
                try server.configure(Self.configuration(password: "new"))
                try await server.start()
                try await eventually("the library ends the connection") {
                    let reason = "Authorization Violation"
                    return events.withLock { $0.contains(.disconnected(reason: reason)) } ? () : nil
                }
                await server.kill()
                try server.configure(Self.configuration(password: "old"))
                try await server.start()
                let event = Envelope(body: Data("event".utf8))
                let position = try await node.backplane.publish(event)
                var iterator = follower.events.makeAsyncIterator()
                #expect(await iterator.next() == .event(event, position: position))
                #expect(try await node.queries.ask("route", event, timeout: .seconds(5)) == event)
                _ = try await node.commands.append(.sample("1"))
                try await handled.wait { $0 == 1 ? () : nil }
                await node.close()
                #expect(events.withLock { $0.count { if case .closed = $0 { true } else { false } } } == 1)
            }
        }

        @Test func `a node that its server refuses can be closed`() async throws {
            try await NATSServer.run(configuration: Self.configuration(password: "old")) { server in
                let events = Mutex<[NATSEvent]>([])
                var options = NATSOptions.test
                options.credentials = .password("old", user: "ann")
                options.onEvent = { event in events.withLock { $0.append(event) } }
                let node = try await server.node("test", options)
                _ = try await node.queries.serve("route", limit: 1) { $0 }
                _ = try await node.commands.process(ProcessingOptions()) { _ in .done }
                await server.kill()
                try server.configure(Self.configuration(password: "new"))
                try await server.start()
                try await eventually("the library ends the connection") {
                    let reason = "Authorization Violation"
                    return events.withLock { $0.contains(.disconnected(reason: reason)) } ? () : nil
                }
                await node.close()
                #expect(events.withLock { $0.last } == .closed(reason: "it was closed"))
            }
        }

        @Test(arguments: ["nats://ann:s3cret", "nats://ann:s3cret@127.0.0.1:port", "nats://127.0.0.1:s3cret"])
        func `an error of an invalid URL does not contain its password`(url: String) async throws {
            let error = await #expect(throws: TransportError.self) {
                try await NATSCluster.connect(to: [url], name: "test", options: .test)
            }
            #expect(!"\(try #require(error))".contains("s3cret"))
        }

        private static func configuration(password: String) -> String {
            """
            jetstream: enabled
            authorization { users = [ { user: ann, password: \(password) } ] }
            """
        }
    }
#endif
