/// What was loaded is not what was saved.
struct WrongFeed: Error {
    let store: String
}
