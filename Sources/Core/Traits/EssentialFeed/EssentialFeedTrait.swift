#if !EssentialFeed
    #error(
        "In a clone of Duet, write make test, or swift build --traits EssentialFeed,NATS. The core alone: swift build --target Duet."
    )
#endif
