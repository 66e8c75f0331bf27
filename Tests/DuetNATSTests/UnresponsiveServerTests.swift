#if NATS
    import Duet
    import DuetCluster
    import DuetNATS
    import DuetTesting
    import Foundation
    import Testing

    /// The server is stopped, so that it reads nothing and its connections stay open.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct UnresponsiveServerTests {
        /// More than all buffers together take.
        enum Flood: CaseIterable, Sendable {
            case largeMessages, smallMessages

            private var count: Int { self == .largeMessages ? 64 : 12_000 }

            var request: Envelope { Envelope(body: Data(count: self == .largeMessages ? 900_000 : 1_000)) }

            /// Sends queries at the same time, and returns their errors.
            func errors(_ node: NATSCluster) async -> [TransportError] {
                await withTaskGroup(of: TransportError?.self) { [request, count] group in
                    for _ in 0..<count {
                        group.addTask {
                            do {
                                _ = try await node.queries.ask("route", request, timeout: .seconds(10))
                                return nil
                            } catch {
                                return error as? TransportError
                            }
                        }
                    }
                    return await group.reduce(into: []) { errors, error in error.map { errors.append($0) } }
                }
            }
        }

        @Test(arguments: Flood.allCases)
        func `a server that does not read delays no other task, and senders receive errors in time`(
            flood: Flood
        ) async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                _ = try await node.queries.serve("route", limit: 64) { $0 }
                #expect(try await node.queries.ask("route", flood.request, timeout: .seconds(10)) == flood.request)
                server.pause()
                let start = ContinuousClock.now
                let sending = Task { await flood.errors(node) }
                var slowest = Duration.zero
                for _ in 0..<1_000 {
                    let start = ContinuousClock.now
                    await Task.detached {}.value
                    slowest = max(slowest, start.duration(to: .now))
                }
                let errors = await sending.value
                server.resume()
                #expect(!errors.isEmpty)
                let areTemporary = errors.allSatisfy(\.isTemporary)
                #expect(areTemporary, "\(errors)")
                #expect(start.duration(to: .now) < .seconds(20))
                #expect(slowest < .seconds(1))
                let request = Envelope(body: Data("again".utf8))
                try await eventually("the route is served again") { () -> Void? in
                    (try? await node.queries.ask("route", request, timeout: .seconds(1))).map { _ in () }
                }
                _ = try await node.commands.append(.sample("1"))
                await node.close()
            }
        }

        @Test func `a sender whose messages are not read receives an error at once when too many wait`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                _ = try await node.queries.serve("route", limit: 64) { $0 }
                server.pause()
                let errors = await Flood.largeMessages.errors(node)
                #expect(errors.contains { "\($0)".contains("does not read") }, "\(errors)")
                server.resume()
                await node.close()
            }
        }

        @Test func `a node whose server does not respond can be closed`() async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                _ = try await node.queries.serve("route", limit: 64) { $0 }
                _ = try await node.commands.process(ProcessingOptions()) { _ in .done }
                let follower = try await node.backplane.follow()
                server.pause()
                _ = await Flood.largeMessages.errors(node)
                let start = ContinuousClock.now
                await node.close()
                #expect(start.duration(to: .now) < .seconds(30))
                server.resume()
                withExtendedLifetime(follower) {}
            }
        }
    }
#endif
