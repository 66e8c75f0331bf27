#if NATS
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import FeedTesting
    import Foundation
    import Synchronization
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct ConnectingTests {
        @Test func `a node connects when its server starts later`() async throws {
            try await NATSServer.run(isStarted: false) { server in
                let node = try await server.node()
                #expect(!node.isConnected)
                let answer = Task { try await node.commands.append(.sample("1")).position }
                try await server.start()
                #expect(
                    try await answer.value == LogPosition(partition: LoggedCommand.sample("1").partition, sequence: 1)
                )
                #expect(node.isConnected)
                await node.close()
            }
        }

        @Test func `operations without a server fail in time`() async throws {
            try await NATSServer.run(isStarted: false) { server in
                var options = NATSOptions.test
                options.timeout = .milliseconds(300)
                let node = try await server.node("test", options)
                await #expect(throws: TransportError.self, "a query") {
                    try await node.queries.ask("route", Envelope(), timeout: .milliseconds(100))
                }
                await #expect(throws: TransportError.self, "a command") { try await node.commands.append(.sample("1")) }
                await #expect(throws: TransportError.self, "an event") { try await node.backplane.publish(Envelope()) }
                await node.close()
            }
        }

        @Test func `events report the connection`() async throws {
            try await NATSServer.run { server in
                let events = Mutex<[NATSEvent]>([])
                var options = NATSOptions.test
                options.onEvent = { event in events.withLock { $0.append(event) } }
                let node = try await server.node("test", options)
                #expect(events.withLock { $0 } == [.connected])
                await server.kill()
                try await eventually("the loss is reported") { events.withLock { $0.count } >= 2 ? () : nil }
                #expect(!node.isConnected)
                try await server.start()
                try await eventually("the node connects again") { events.withLock { $0.last } == .connected ? () : nil }
                await node.close()
                guard case .closed = events.withLock({ $0.last }) else {
                    Issue.record("the last event is \(String(describing: events.withLock { $0.last }))")
                    return
                }
            }
        }

        @Test func `a server that cannot store commands is reported with the option to set`() async throws {
            try await NATSServer.run([]) { server in
                let node = try await server.node()
                let error = await #expect(throws: TransportError.self) { try await node.commands.append(.sample("1")) }
                #expect("\(try #require(error))".contains("nats-server -js"))
                await node.close()
            }
        }

        @Test func `a user and a password are given as an option or in the URL`() async throws {
            try await NATSServer.run(["-js", "--user", "ann", "--pass", "s3cret"]) { server in
                let refused = await #expect(throws: TransportError.self) { try await server.node() }
                guard case .refused(let reason) = refused else {
                    Issue.record("the error is \(String(describing: refused))")
                    return
                }
                #expect(!reason.contains("s3cret"))
                var options = NATSOptions.test
                options.credentials = .password("s3cret", user: "ann")
                #expect(!"\(options)".contains("s3cret"))
                let url = server.url.replacing("//", with: "//ann:s3cret@")
                let nodes = [
                    try await server.node("test", options),
                    try await NATSCluster.connect(to: [url], name: "test", options: .test),
                ]
                for node in nodes {
                    _ = try await node.commands.append(.sample("1"))
                    await node.close()
                }
            }
        }

        @Test(arguments: ["", "a.b", "a b", "é", String(repeating: "a", count: 65)])
        func `a name that cannot be part of a subject is refused`(name: String) async throws {
            await #expect(throws: TransportError.self) {
                try await NATSCluster.connect(to: ["nats://127.0.0.1:1"], name: name)
            }
        }

        @Test func `another number of partitions than that of the log is refused`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                _ = try await node.commands.append(.sample("1"))
                var options = NATSOptions.test
                options.partitions = 5
                let other = try await server.node("test", options)
                let error = await #expect(throws: TransportError.self) { try await other.commands.append(.sample("2")) }
                #expect("\(try #require(error))".contains("partitions"))
                await other.close()
                await node.close()
            }
        }

        @Test func `other limits are applied to the streams that exist`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                _ = try await node.commands.append(.sample("1"))
                var options = NATSOptions.test
                options.commandBytes = 2000
                let other = try await server.node("test", options)
                let error = await #expect(throws: TransportError.self) {
                    for number in 2...9 {
                        let envelope = Envelope(body: Data(count: 700))
                        _ = try await other.commands.append(
                            LoggedCommand(id: "\(number)", key: "", message: "", envelope: envelope)
                        )
                    }
                }
                #expect("\(try #require(error))".contains("commandBytes"))
                await other.close()
                await node.close()
            }
        }
    }

    extension LoggedCommand {
        static func sample(_ id: String, key: String = "key") -> LoggedCommand {
            LoggedCommand(id: id, key: key, message: "Sample", envelope: Envelope(body: Data(id.utf8)))
        }

        /// The partition among those of `NATSOptions.test`.
        var partition: Int { Self.partition(of: key, among: NATSOptions.test.partitions) }
    }
#endif
