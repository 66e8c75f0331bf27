#if !SQLite
    #error(
        "DuetSQLite needs the trait SQLite: .package(url: …, from: …, traits: [\"SQLite\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
