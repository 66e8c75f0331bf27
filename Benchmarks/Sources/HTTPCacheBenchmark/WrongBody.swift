/// What was read is not what was stored.
struct WrongBody: Error {
    let store: String
}
