/// The loaded feed differs from the saved one.
struct WrongFeed: Error {
    let store: String
}
