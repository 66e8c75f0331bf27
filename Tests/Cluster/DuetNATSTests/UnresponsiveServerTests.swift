#if NATS
    import Duet
    import DuetCluster
    import DuetClusterEngine
    import DuetNATS
    import Foundation
    import Testing

    /// The server is stopped, so that it reads nothing and its connections stay open.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct UnresponsiveServerTests {
        /// More than all buffers together take.
        enum Flood: CaseIterable, Sendable {
            case largeMessages, smallMessages

            var count: Int { self == .largeMessages ? 64 : 12_000 }

            var request: Envelope { Envelope(body: Data(count: self == .largeMessages ? 900_000 : 1_000)) }

            /// Sends queries at the same time, and returns their errors.
            ///
            /// - Parameter begun: The number of queries that have begun.
            func errors(_ node: NATSCluster, _ begun: Monitor<Int> = Monitor(0)) async -> [TransportError] {
                await withTaskGroup(of: TransportError?.self) { [request, count] group in
                    for _ in 0..<count {
                        group.addTask {
                            begun.update { $0 += 1 }
                            do {
                                _ = try await node.queries.ask("route", request, timeout: .seconds(5))
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
        func `a server that does not read delays no other task, and senders receive errors meanwhile`(
            flood: Flood
        ) async throws {
            try await NATSServer.run { server in
                let node = try await server.node()
                _ = try await node.queries.serve("route", limit: 64) { $0 }
                #expect(try await node.queries.ask("route", flood.request, timeout: .seconds(3_600)) == flood.request)
                server.pause()
                let begun = Monitor(0)
                let sending = Task { await flood.errors(node, begun) }
                // A sender that blocked its thread would keep the others from beginning: the node does not leave the
                // connection within the suite's time limit.
                try await begun.wait { [count = flood.count] in $0 == count ? () : nil }
                await Task.detached {}.value
                // All senders have their errors while the server is still stopped.
                let errors = await sending.value
                server.resume()
                #expect(!errors.isEmpty)
                let areTemporary = errors.allSatisfy(\.isTemporary)
                #expect(areTemporary, "\(errors)")
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
                // It leaves the connection while the server does not read.
                var options = NATSOptions.test
                options.serverTimeout = NATSOptions().serverTimeout
                let node = try await server.node("test", options)
                _ = try await node.queries.serve("route", limit: 64) { $0 }
                _ = try await node.commands.process(ProcessingOptions()) { _ in .done }
                let follower = try await node.backplane.follow()
                server.pause()
                _ = await Flood.largeMessages.errors(node)
                // The server is stopped until the node is closed.
                await node.close()
                #expect(!node.isConnected)
                server.resume()
                withExtendedLifetime(follower) {}
            }
        }
    }
#endif
