#if !AsyncHTTPClient
    #error(
        "DuetAsyncHTTPClient needs the trait AsyncHTTPClient: .package(url: …, from: …, traits: [\"AsyncHTTPClient\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
