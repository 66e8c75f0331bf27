#if !JWT
    #error(
        "DuetJWT needs the trait JWT: .package(url: …, from: …, traits: [\"JWT\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
