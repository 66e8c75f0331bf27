package import Duet

extension MessageAPI {
    /// A list of messages that everybody may send, apart from those with their own rule.
    package static func open(@ListBuilder<Entry> _ entries: () -> [Entry]) -> MessageAPI {
        MessageAPI("open", authorized: .open, entries)
    }
}
