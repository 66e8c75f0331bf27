/// An error message of SQLite.
struct HandWrittenError: Error {
    let message: String
}
