#if !Telemetry
    #error(
        "DuetTelemetry needs the trait Telemetry: .package(url: …, from: …, traits: [\"Telemetry\"]). In a clone of Duet: make test, or swift build --traits EssentialFeed,NATS."
    )
#endif
