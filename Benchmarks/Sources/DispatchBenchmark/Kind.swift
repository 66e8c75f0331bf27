/// The two kinds of message.
enum Kind: String, CaseIterable {
    case query
    case command
}
