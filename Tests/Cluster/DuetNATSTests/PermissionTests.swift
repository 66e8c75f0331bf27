#if NATS
    import Duet
    import DuetCaching
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import Foundation
    import TestSupport
    import Testing

    /// The permissions and accounts that the documentation of `DuetNATS` names.
    @Suite(.timeLimit(.minutes(5))) struct PermissionTests {
        private static let configuration = """
            jetstream: enabled
            accounts {
              TALKS {
                jetstream: enabled
                users = [ {
                  user: talks, password: secret
                  permissions {
                    publish: [ "talks.>", "$JS.API.>", "$JS.ACK.>", "$JS.FC.>" ]
                    subscribe: [ "talks.inbox.>", "talks.query.>", "talks.cancel" ]
                  }
                } ]
              }
              FEED {
                jetstream: enabled
                users = [ { user: feed, password: secret } ]
              }
            }
            """

        private static func options(_ user: String, _ events: Monitor<[NATSEvent]>) -> NATSOptions {
            var options = NATSOptions.test
            options.credentials = .password("secret", user: user)
            options.onEvent = { event in events.update { $0.append(event) } }
            return options
        }

        /// Handles a command and a query on one node for another one.
        private static func use(_ server: NATSServer, _ name: String, user: String) async throws {
            let events = Monitor<[NATSEvent]>([])
            let sender = try await server.node(name, options(user, events))
            let node = try await server.node(name, options(user, events))
            let shop = Shop()
            let dispatcher = try shop.dispatcher().caching(in: .memory(limit: .entries(10))) {
                Cache(LoadStock.self, .untilInvalidated)
                Invalidate(LoadStock.self, after: AddStock.self)
            }
            let worker = try ClusterWorker(Shop.messages, dispatcher, on: node, caches: [dispatcher.cache])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                let remote = try ClusterDispatcher(Shop.messages, on: sender, options: .patient)
                #expect(try await remote.dispatch(LoadStock(item: "tea")) == 0)
                try await withWriteToken(WriteToken()) {
                    try await remote.dispatch(AddStock(item: "tea", count: 2))
                    #expect(try await remote.dispatch(LoadStock(item: "tea")) == 2)
                }
                await #expect(throws: ClusterError.self) { try await remote.dispatch(BreakShelf(item: "tea")) }
                // The sender learns the failure before the log has its dead letter.
                let letter = try await eventually("there is a dead letter") {
                    try await sender.commands.deadLetters.list(limit: 10).first
                }
                try await sender.commands.deadLetters.drop(letter.id)
                try await eventually("nothing is left") {
                    try await sender.commands.statistics() == LogStatistics() ? () : nil
                }
                group.cancelAll()
                try await group.waitForAll()
            }
            await node.close()
            await sender.close()
            #expect(events.read { $0 }.filter { if case .failure = $0 { true } else { false } } == [])
        }

        @Test func `the documented permissions are enough for workers and senders`() async throws {
            try await NATSServer.run([], configuration: Self.configuration) { server in
                try await Self.use(server, "talks", user: "talks")
            }
        }

        @Test func `a user of another account cannot list, read, delete or inject anything`() async throws {
            try await NATSServer.run([], configuration: Self.configuration) { server in
                let events = Monitor<[NATSEvent]>([])
                let node = try await server.node("talks", Self.options("talks", events))
                let handled = Monitor(0)
                _ = try await node.queries.serve("route", limit: 1) { request in
                    handled.update { $0 += 1 }
                    return request
                }
                let command = try await node.commands.append(.sample("1"))
                let follower = try await node.backplane.follow()
                let stranger = try RawClient(server, user: "feed", password: "secret")
                try stranger.send("SUB > 1")
                try stranger.publish("$JS.API.STREAM.NAMES", reply: "a.names")
                try stranger.publish("$JS.API.STREAM.DELETE.talks_COMMANDS", reply: "a.delete")
                try stranger.publish("$JS.API.STREAM.MSG.GET.talks_COMMANDS", reply: "a.get", #"{"seq":1}"#)
                let mirror = #"{"name":"copy","storage":"memory","mirror":{"name":"talks_COMMANDS"}}"#
                try stranger.publish("$JS.API.STREAM.CREATE.copy", reply: "a.copy", mirror)
                for partition in 0..<4 { try stranger.publish("talks.command.\(partition)", reply: "a.x", "{}") }
                try stranger.publish("talks.event", reply: "a.x", "{}")
                try stranger.publish("talks.query.route", reply: "talks.inbox.a.1", "{}")
                var answers = try stranger.received()
                while !["a.names", "a.delete", "a.get"].allSatisfy({ answers.contains("MSG \($0) ") }) {
                    answers += try stranger.received()
                }
                _ = try await node.queries.ask("route", Envelope(body: Data("seen".utf8)), timeout: .seconds(3_600))
                answers += try stranger.received()
                #expect(answers.contains(#""streams":null"#) || answers.contains(#""streams":[]"#))
                #expect(answers.matches(of: #/stream not found/#).count >= 2)
                #expect(!answers.contains("seen"))
                #expect(handled.read { $0 } == 1)
                #expect(try await node.commands.statistics() == LogStatistics(waiting: 1))
                #expect(try await node.commands.lastPosition(in: command.position.partition) == command.position)
                let event = Envelope(body: Data("event".utf8))
                let position = try await node.backplane.publish(event)
                var iterator = follower.events.makeAsyncIterator()
                #expect(await iterator.next() == .event(event, position: position))
                await node.close()
            }
        }

        @Test func `clusters of one name in two accounts do not meet`() async throws {
            try await NATSServer.run([], configuration: Self.configuration) { server in
                try await Self.use(server, "talks", user: "talks")
                try await Self.use(server, "talks", user: "feed")
            }
        }
    }
#endif
