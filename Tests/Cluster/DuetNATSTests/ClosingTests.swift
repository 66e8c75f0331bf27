#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct ClosingTests {
        @Test func `closing finishes the query and the command that are being handled`() async throws {
            try await NATSServer.run { server in
                let (other, node) = (try await server.node(), try await server.node())
                let (query, command, began) = (Gate(), Gate(), Monitor(0))
                _ = try await node.queries.serve("route", limit: 4) { request in
                    began.update { $0 += 1 }
                    try? await query.pass()
                    return request
                }
                _ = try await node.commands.process(ProcessingOptions()) { _ in
                    began.update { $0 += 1 }
                    try? await command.pass()
                    return .done
                }
                let position = try await other.commands.append(.sample("1")).position
                let request = Envelope(body: Data("text".utf8))
                let answer = Task { try await other.queries.ask("route", request, timeout: .seconds(3_600)) }
                try await began.wait { $0 == 2 ? () : nil }
                let closing = Task { await node.close() }
                // The route is no longer served, although its query is still being handled.
                try await eventually("the route ends") { () -> Void? in
                    do {
                        _ = try await other.queries.ask("route", request, timeout: .milliseconds(50))
                        return nil
                    } catch TransportError.noNode {
                        return ()
                    } catch {
                        return nil
                    }
                }
                query.open()
                #expect(try await answer.value == request)
                command.open()
                await closing.value
                #expect(try await other.commands.handledPosition(in: position.partition) == position)
                #expect(try await other.commands.statistics() == LogStatistics())
                await other.close()
            }
        }

        @Test func `a route whose connection ends while it begins can be stopped`() async throws {
            try await NATSServer.run { server in
                for _ in 0..<50 {
                    let node = try await server.node()
                    async let ended: Void = node.disconnect()
                    let route = try? await node.queries.serve("route", limit: 1) { $0 }
                    await route?.stop()
                    await ended
                }
            }
        }

        @Test func `closing leaves a handler alone that does not end within the limit`() async throws {
            try await NATSServer.run { server in
                let clock = ManualClock()
                var options = NATSOptions.test
                options.clock = clock
                let (other, node) = (try await server.node(), try await server.node("test", options))
                let (began, end) = (Gate(), Monitor(false))
                _ = try await node.queries.serve("route", limit: 1) { request in
                    began.open()
                    await end.waitEvenIfCanceled { $0 }
                    return request
                }
                let answer = Task { try await other.queries.ask("route", Envelope(), timeout: .seconds(3_600)) }
                try await began.pass()
                let closing = Task { await node.close(within: .seconds(5)) }
                #expect(await clock.nextSleeper() == .seconds(5))
                clock.advance(by: .seconds(5))
                await closing.value
                answer.cancel()
                end.update { $0 = true }
                await other.close()
            }
        }

        @Test func `a closed node refuses at once`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                await node.close()
                await node.close()
                // An operation that waited for a connection would end after the suite's time limit.
                await #expect(throws: TransportError.self) {
                    try await node.queries.ask("route", Envelope(), timeout: .seconds(3_600))
                }
                await #expect(throws: TransportError.self) { try await node.commands.append(.sample("1")) }
                await #expect(throws: TransportError.self) { try await node.backplane.follow() }
            }
        }
    }
#endif
