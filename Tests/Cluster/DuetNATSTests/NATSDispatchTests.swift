#if NATS
    import DuetCluster
    import DuetContracts
    import DuetNATS
    import TestSupport
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct NATSDispatchTests {
        @Test(arguments: ClusterDispatchContract.allCases)
        func `dispatchers and workers on NATS keep their contract`(clause: ClusterDispatchContract) async throws {
            try await NATSServer.run { server in
                try await clause.verify { name in
                    let node = try await server.node(name)
                    return ClusterNode(node) { await node.disconnect() }
                }
            }
        }
    }
#endif
