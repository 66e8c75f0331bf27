#if NATS && Hummingbird
    import Duet
    import DuetCluster
    import DuetNATS
    import DuetTesting
    import Synchronization
    import TestSupport
    import Testing

    @Suite(.timeLimit(.minutes(5))) struct NATSPlacesTests {
        @Test func `a list means the same in process, over HTTP, behind a cache, and on NATS`() async throws {
            try await NATSServer.run { server in
                let names = Mutex(0)
                // A cluster for each example, because its commands stay in the log.
                let nats = Place.cluster {
                    let number = names.withLock { number in
                        number += 1
                        return number
                    }
                    return try await server.node("places-\(number)")
                }
                try await MemoStore.suite.check(in: .http(), MemoStore.cache, nats) { try MemoStore().dispatcher() }
            }
        }
    }
#endif
