// Without any trait, DuetContext reports what is missing.
#if Caching && !HTTP
    #error(
        "Duet's modules for HTTP need the trait HTTP: .package(url: …, from: …, traits: [\"Caching\", \"HTTP\"]). AsyncHTTPClient, Hummingbird, JWT and Telemetry include it. In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
