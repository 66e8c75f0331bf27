import Duet

/// That a ``SpyDispatcher`` was given a message for which the test has not said what happens.
public struct UnstubbedMessage: Error, Equatable {
    /// The message's stable name.
    public let message: String

    private let advice: String

    init<C: Command>(command: C.Type) {
        message = C.messageName
        advice = "Say that it succeeds: spy.stub(\(C.self).self)"
    }

    init<Q: Query>(query: Q.Type) {
        message = Q.messageName
        advice = "Say what it answers: spy.stub(\(Q.self).self) { … }"
    }
}

extension UnstubbedMessage: CustomStringConvertible {
    /// Which message it was and what to write.
    public var description: String { "No stub for \(message). \(advice)" }
}
