#if !Macros
    #error(
        "DuetMacros needs the trait Macros: .package(url: …, from: …, traits: [\"Macros\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
