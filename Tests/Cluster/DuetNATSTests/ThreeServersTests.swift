#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import Foundation
    import Testing

    /// Elections need more processor time than is left beside the other tests, so `make chaos` runs this.
    @Suite(.enabled(if: ProcessInfo.processInfo.environment["DUET_CHAOS"] != nil), .timeLimit(.minutes(5)))
    struct ThreeServersTests {
        @Test func `nothing is lost when each of three servers crashes, one after another`() async throws {
            try await NATSServers.run { servers in
                let sending = try await servers.node()
                let nodes = [try await servers.node(), try await servers.node()]
                let follower = try await sending.backplane.follow()
                let handled = Monitor<[Int]>([])
                for node in nodes {
                    _ = try await node.commands.process(ProcessingOptions(redelivery: .seconds(2))) { delivery in
                        handled.update { $0.append(Int(delivery.command.id) ?? -1) }
                        return .done
                    }
                    _ = try await node.queries.serve("route", limit: 8) { $0 }
                }
                let count = 900
                let phase = 300
                let allowed = Monitor(0)
                // The first that fails ends the other.
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask {
                        for number in 0..<count {
                            try await allowed.wait { $0 > number ? () : nil }
                            let command = LoggedCommand.sample("\(number)", key: "key \(number % 9)")
                            _ = try await sending.commands.append(command)
                            if number % 100 == 0 {
                                try await sending.backplane.publish(Envelope(body: Data("\(number)".utf8)))
                            }
                        }
                    }
                    group.addTask {
                        for (number, server) in servers.servers.enumerated() {
                            allowed.update { $0 += phase }
                            try await handled.wait { Set($0).count >= phase * number + 50 ? () : nil }
                            await server.kill()
                            // The other two go on.
                            try await handled.wait { Set($0).count == phase * (number + 1) ? () : nil }
                            try await eventually("queries are answered without server \(number)") {
                                try? await sending.queries.ask("route", Envelope(), timeout: .seconds(1)) == Envelope()
                                    ? () : nil
                            }
                            try await server.start()
                            // One server fails at a time: it must have caught up before the next one does.
                            try await servers.waitUntilWhole("test_COMMANDS")
                        }
                    }
                }
                try await handled.wait { Set($0).count == count ? () : nil }
                let all = handled.read { $0 }
                for key in 0..<9 {
                    var seen = Set<Int>()
                    let firsts = all.filter { $0 % 9 == key && seen.insert($0).inserted }
                    #expect(firsts == firsts.sorted(), "key \(key)")
                }
                var events: [String] = []
                var last = follower.start
                for await event in follower.events {
                    guard case .event(let envelope, let position) = event else {
                        Issue.record("\(event)")
                        break
                    }
                    #expect(position == last + 1 || last == 0)
                    last = position
                    events.append(String(decoding: envelope.body, as: UTF8.self))
                    if events.count == count / 100 { break }
                }
                #expect(events == (0..<count / 100).map { "\($0 * 100)" })
                for node in nodes + [sending] { await node.close() }
            }
        }

        @Test func `a follower misses nothing unnoticed, and positions grow, when all servers crash`() async throws {
            try await NATSServers.run { servers in
                let (node, other) = (try await servers.node(), try await servers.node())
                let follower = try await node.backplane.follow()
                var last = follower.start
                for number in 0..<20 { last = try await Self.publish("\(number)", to: other) }
                var iterator = follower.events.makeAsyncIterator()
                while let event = await iterator.next(), event.position < last {}
                await withTaskGroup { group in
                    for server in servers.servers { group.addTask { await server.kill() } }
                }
                for server in servers.servers { try await server.start() }
                let next = try await Self.publish("after", to: other)
                #expect(next > last)
                var position: UInt64 = last
                while position < next, let event = await iterator.next() {
                    #expect(event.position > position)
                    position = event.position
                }
                for node in [node, other] { await node.close() }
            }
        }

        @Test(.enabled(if: (try? NATSServer.keepsConsumersInStep) == true, "nats-server 2.11 or later"))
        func `nothing is lost when all servers crash again and again while commands are sent`() async throws {
            try await NATSServers.run { servers in
                let (sending, handling) = (try await servers.node(), try await servers.node())
                let (sent, handled) = (Monitor(Set<String>()), Monitor(Set<String>()))
                _ = try await handling.commands.process(ProcessingOptions(redelivery: .seconds(2))) { delivery in
                    handled.update { _ = $0.insert(delivery.command.id) }
                    return .done
                }
                let isEnding = Monitor(false)
                try await withThrowingDiscardingTaskGroup { group in
                    for lane in 0..<32 {
                        group.addTask {
                            var number = 0
                            while !isEnding.read({ $0 }) {
                                number += 1
                                let command = LoggedCommand.sample("\(lane) \(number)", key: "key \(lane)")
                                try await Self.append(command, to: sending)
                                sent.update { _ = $0.insert(command.id) }
                            }
                        }
                    }
                    group.addTask {
                        defer { isEnding.update { $0 = true } }
                        for round in 1...10 {
                            let count = sent.read(\.count)
                            try await sent.wait { $0.count >= count + 400 ? () : nil }
                            await withTaskGroup { group in
                                for server in servers.servers { group.addTask { await server.kill() } }
                            }
                            for server in servers.servers { try await server.start() }
                            print("all servers were killed \(round) times, \(count) commands sent")
                        }
                    }
                }
                let all = sent.read { $0 }
                _ = try? await eventually("all commands are handled") {
                    handled.read { $0.isSuperset(of: all) } ? () : nil
                }
                #expect(all.subtracting(handled.read { $0 }).isEmpty)
                for node in [handling, sending] { await node.close() }
            }
        }

        private static func publish(_ text: String, to node: NATSCluster) async throws -> UInt64 {
            while true {
                do {
                    return try await node.backplane.publish(Envelope(body: Data(text.utf8)))
                } catch let error as TransportError where error.isTemporary {
                    // The servers start, or elect a leader.
                }
            }
        }

        private static func append(_ command: LoggedCommand, to node: NATSCluster) async throws {
            while true {
                do {
                    _ = try await node.commands.append(command)
                    return
                } catch let error as TransportError where error.isTemporary {
                    // The servers start, or elect a leader.
                }
            }
        }
    }

    extension BackplaneEvent {
        fileprivate var position: UInt64 {
            switch self {
            case .event(_, let position), .gap(let position): position
            }
        }
    }
#endif
