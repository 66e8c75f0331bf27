import Testing

/// What the guide says of PocketBase, against a PocketBase that runs. Each test has speakers of its own.
@Suite(.pocketBase)
struct PocketBaseTests {}
