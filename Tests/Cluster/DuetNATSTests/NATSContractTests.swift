#if NATS
    import DuetCluster
    import DuetContracts
    import DuetNATS
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct NATSContractTests {
        @Test(arguments: ClusterEngineContract.allCases)
        func `the cluster on NATS keeps the contract of engines`(clause: ClusterEngineContract) async throws {
            try await NATSServer.run { server in
                try await clause.verify(limit: .seconds(3_600)) { name in
                    let node = try await server.node(name)
                    return ClusterNode(node) { await node.disconnect() }
                }
            }
        }
    }
#endif
