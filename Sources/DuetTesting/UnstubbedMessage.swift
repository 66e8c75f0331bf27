import Duet

/// A ``SpyDispatcher`` received a message that the test has not stubbed.
public struct UnstubbedMessage: Error, Equatable {
    /// The message's stable name.
    public let message: String

    private let advice: String

    init<M: Message>(_ type: M.Type) {
        message = M.messageName
        advice =
            type is any Command.Type
            ? "Let it succeed: spy.stub(\(M.self).self)"
            : "Return a value: spy.stub(\(M.self).self) { … }"
    }
}

extension UnstubbedMessage: CustomStringConvertible {
    /// Which message it was and what to write.
    public var description: String { "No stub for \(message). \(advice)" }
}
