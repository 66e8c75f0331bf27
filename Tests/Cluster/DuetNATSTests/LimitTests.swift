#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import DuetTesting
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct LimitTests {
        @Test func `requests beyond those that may wait are refused`() async throws {
            try await NATSServer.run { server in
                let (asking, serving) = (try await server.node(), try await server.node())
                let gate = Gate()
                _ = try await serving.queries.serve("route", limit: 1) { request in
                    try? await gate.pass()
                    return request
                }
                let results = Monitor((answered: 0, refused: 0))
                await withTaskGroup { group in
                    for _ in 0..<4100 {
                        group.addTask {
                            do {
                                _ = try await asking.queries.ask("route", Envelope(), timeout: .seconds(3_600))
                                results.update { $0.answered += 1 }
                            } catch TransportError.refused {
                                results.update { $0.refused += 1 }
                            } catch {
                                Issue.record(error)
                            }
                        }
                    }
                    // One is handled, and 4096 wait.
                    try? await results.wait { $0.refused == 3 ? () : nil }
                    gate.open()
                }
                #expect(results.read { $0.answered } == 4097)
                await serving.close()
                await asking.close()
            }
        }

        @Test func `a follower that is not read has a gap in place of the events that it cannot keep`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                let follower = try await node.backplane.follow()
                let positions = Monitor<[UInt64]>([])
                let (count, kept) = (10_200, 10_000)
                try await withThrowingDiscardingTaskGroup { group in
                    for part in 0..<20 {
                        group.addTask {
                            for _ in part * count / 20..<(part + 1) * count / 20 {
                                let position = try await node.backplane.publish(Envelope())
                                positions.update { $0.append(position) }
                            }
                        }
                    }
                }
                let published = positions.read { $0.sorted() }
                var last = follower.start
                var events = 0
                for await event in follower.events {
                    if case .gap(let position) = event {
                        last = position
                    } else if case .event(_, let position) = event {
                        events += 1
                        #expect(last == 0 || position == last + 1)
                        last = position
                    }
                    if last == published.last { break }
                }
                #expect(events >= kept)
                #expect(events < count)
                await node.close()
            }
        }

        @Test func `a small limit of the server is reported at the call`() async throws {
            let configuration = "max_payload: 32768"
            try await NATSServer.run(["-js"], configuration: configuration) { server in
                let node = try await server.node()
                let large = Envelope(body: Data(count: 20_000))
                let error = TransportError.tooLarge(bytes: 20_000, limit: 16_384)
                await #expect(throws: error) { try await node.queries.ask("route", large, timeout: .seconds(1)) }
                await #expect(throws: error) { try await node.backplane.publish(large) }
                await node.close()
            }
        }
    }
#endif
