/// A response differs from the one that was expected.
struct WrongResponse: Error {
    let what: String
}
