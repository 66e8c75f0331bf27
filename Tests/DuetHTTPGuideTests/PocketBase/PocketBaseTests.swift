import Testing

/// What the guide says of PocketBase, against a PocketBase that runs; each test has speakers of its own.
@Suite(.pocketBase)
struct PocketBaseTests {}
