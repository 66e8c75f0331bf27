#if !NATS
    /// Messages on NATS, which the trait `NATS` builds.
    @available(
        *,
        unavailable,
        message: "DuetNATS needs the trait NATS: .package(url: …, from: …, traits: [\"NATS\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
    public enum NATSCluster {}
#endif
