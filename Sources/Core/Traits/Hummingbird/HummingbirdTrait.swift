#if !Hummingbird
    #error(
        "DuetHummingbird needs the trait Hummingbird: .package(url: …, from: …, traits: [\"Hummingbird\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
