import Testing

/// The guide's claims about PocketBase, against a running PocketBase; each test has its own speakers.
@Suite(.pocketBase)
struct PocketBaseTests {}
