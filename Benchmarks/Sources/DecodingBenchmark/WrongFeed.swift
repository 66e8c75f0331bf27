/// The decoded feed differs from the encoded one.
struct WrongFeed: Error {}
