/// What a proxy goes by.
struct ProxyIdentity: Sendable {
    /// Its name in `Via`, a token that no other proxy has.
    let pseudonym: String

    /// The server that a request is for which names none, as HTTP/1.0 allows.
    let authority: String?
}
