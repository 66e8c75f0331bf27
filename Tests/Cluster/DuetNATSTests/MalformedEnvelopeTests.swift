#if NATS
    import DuetCluster
    import DuetNATS
    import TestSupport
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct MalformedEnvelopeTests {
        @Test func `a node names the fault of an envelope that it cannot read, and goes on`() async throws {
            try await NATSServer.run { server in
                let (sender, node) = (try await server.node(), try await server.node())
                try await MalformedEnvelope.check(from: sender, to: node)
                await node.close()
                await sender.close()
            }
        }

        @Test func `a sender names the fault of a response that it cannot read`() async throws {
            try await NATSServer.run { server in
                let (sender, node) = (try await server.node(), try await server.node())
                try await MalformedResponse.check(from: sender, to: node)
                await node.close()
                await sender.close()
            }
        }
    }
#endif
