#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import Foundation
    import Synchronization
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct ReconnectingTests {
        @Test func `a query fails at once when its connection is lost`() async throws {
            try await NATSServer.run { server in
                let (asking, serving) = (try await server.node(), try await server.node())
                let began = Gate()
                let registration = try await serving.queries.serve("route", limit: 1) { _ in
                    began.open()
                    try? await Gate().pass()
                    return Envelope()
                }
                let query = Task { try await asking.queries.ask("route", Envelope(), timeout: .seconds(3_600)) }
                try await began.pass()
                await server.kill()
                // A query whose time has passed has another error, after the suite's time limit.
                let error = await #expect(throws: TransportError.self) { try await query.value }
                guard case .connectionLost = error else {
                    Issue.record("the error is \(String(describing: error))")
                    return
                }
                await serving.disconnect()
                await asking.close()
                _ = registration
            }
        }

        @Test func `routes are served again after a server has restarted`() async throws {
            try await NATSServer.run { server in
                let (asking, serving) = (try await server.node(), try await server.node())
                let registration = try await serving.queries.serve("route", limit: 1) { $0 }
                await server.kill()
                try await server.start()
                let request = Envelope(body: Data("text".utf8))
                try await eventually("the route is served again") {
                    try? await asking.queries.ask("route", request, timeout: .seconds(1)) == request ? () : nil
                }
                await registration.stop()
                await #expect(throws: TransportError.noNode(route: "route")) {
                    try await asking.queries.ask("route", request, timeout: .seconds(3_600))
                }
                await serving.close()
                await asking.close()
            }
        }

        @Test func `no command is lost or out of order when a server crashes`() async throws {
            try await NATSServer.run { server in
                let (sending, handling) = (try await server.node(), try await server.node())
                let handled = Monitor<[String]>([])
                let registration = try await handling.commands.process(ProcessingOptions(redelivery: .seconds(1))) {
                    command in
                    handled.update { $0.append(command.command.id) }
                    return .done
                }
                let sender = Task {
                    for number in 0..<600 {
                        _ = try await sending.commands.append(.sample("\(number)", key: "key \(number % 7)"))
                    }
                }
                for count in [100, 300] {
                    try await handled.wait { $0.count >= count ? () : nil }
                    await server.kill()
                    try await server.start()
                }
                try await sender.value
                try await handled.wait { Set($0).count == 600 ? () : nil }
                let all = handled.read { $0 }
                for key in 0..<7 {
                    var seen = Set<Int>()
                    let firsts = all.compactMap { Int($0) }.filter { $0 % 7 == key && seen.insert($0).inserted }
                    #expect(firsts == firsts.sorted())
                }
                await registration.stop()
                let statistics = try await sending.commands.statistics()
                #expect(statistics == LogStatistics())
                await handling.close()
                await sending.close()
            }
        }

        @Test func `a server that lost the events leaves a gap, and later positions`() async throws {
            try await NATSServer.run { server in
                let (one, two) = (try await server.node(), try await server.node())
                let followers = [try await one.backplane.follow(), try await two.backplane.follow()]
                let before = try await one.backplane.publish(Envelope(body: Data("1".utf8)))
                var iterators = followers.map { $0.events.makeAsyncIterator() }
                for index in iterators.indices {
                    #expect(await iterators[index].next() == .event(Envelope(body: Data("1".utf8)), position: before))
                }
                await server.kill()
                try server.removeData()
                try await server.start()
                for index in iterators.indices {
                    guard case .gap(let position) = await iterators[index].next() else {
                        Issue.record("node \(index) has no gap")
                        return
                    }
                    #expect(position > before)
                }
                let after = try await two.backplane.publish(Envelope(body: Data("2".utf8)))
                #expect(after > before)
                for index in iterators.indices {
                    #expect(await iterators[index].next() == .event(Envelope(body: Data("2".utf8)), position: after))
                }
                await two.close()
                await one.close()
                for index in iterators.indices { #expect(await iterators[index].next() == nil) }
            }
        }
    }
#endif
