/// What SQLite says went wrong.
struct HandWrittenError: Error {
    let message: String
}
