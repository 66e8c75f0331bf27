#if !HTTP && !Caching
    #error(
        "This module of Duet needs a trait: .package(url: …, from: …, traits: [\"HTTP\"]), or [\"Caching\"] for DuetCaching without HTTP. AsyncHTTPClient, Hummingbird, JWT, Telemetry and SQLite include HTTP. In a clone of Duet: make test, or swift build --traits EssentialFeed."
    )
#endif
