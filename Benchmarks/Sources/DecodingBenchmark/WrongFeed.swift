/// What was decoded is not what was encoded.
struct WrongFeed: Error {}
