#if !HTTP && !Caching && !Cluster
    #error(
        "This module of Duet needs a trait: .package(url: …, from: …, traits: [\"HTTP\"]), or [\"Caching\"] for DuetCaching without HTTP, or [\"Cluster\"] for DuetCluster. AsyncHTTPClient, Hummingbird, JWT and Telemetry include HTTP, and SQLite includes Caching. In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
