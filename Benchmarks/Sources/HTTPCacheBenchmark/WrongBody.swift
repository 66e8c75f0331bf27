/// The bytes that were read differ from the bytes that were stored.
struct WrongBody: Error {
    let store: String
}
