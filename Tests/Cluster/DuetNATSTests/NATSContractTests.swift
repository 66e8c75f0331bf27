#if NATS
    import DuetCluster
    import DuetContracts
    import DuetNATS
    import Testing

    struct NATSContractTests {
        @Test(arguments: ClusterEngineContract.allCases)
        func `the cluster on NATS keeps the contract of engines`(clause: ClusterEngineContract) async throws {
            try await NATSServer.run { server in
                try await clause.verify { name in
                    let node = try await server.node(name)
                    return ClusterNode(node) { await node.disconnect() }
                }
            }
        }
    }
#endif
