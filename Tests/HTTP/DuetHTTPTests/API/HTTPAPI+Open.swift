import Duet
import DuetHTTP
import TestSupport

extension MessageAPI.Entry {
    /// A message that everyone may send.
    static func open<M: Message>(_ message: M.Type) -> Self { Self(M.authorized(.open)) }
}

extension HTTPAPI {
    /// Creates the API of messages that everyone may send.
    init(
        _ settings: HTTPSettings = HTTPSettings(),
        @ListBuilder<MessageAPI.Entry> _ entries: () -> [MessageAPI.Entry]
    ) throws(InvalidMessageAPI) {
        try self.init(.open(entries), settings)
    }
}
