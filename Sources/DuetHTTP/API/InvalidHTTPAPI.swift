/// What is wrong with the messages of an API, all of it at once.
public struct InvalidHTTPAPI: Error, Hashable, Sendable {
    /// One thing that is wrong, and what to do about it.
    public struct Fault: Hashable, Sendable, CustomStringConvertible {
        /// The names of the messages that are at fault.
        public let messages: [String]

        /// What is wrong and what to do about it.
        public let description: String

        package init(_ messages: [String], _ description: String) {
            self.messages = messages
            self.description = description
        }
    }

    /// Everything that is wrong, in the order of the messages.
    public let faults: [Fault]

    package init(_ faults: [Fault]) {
        self.faults = faults
    }
}

extension InvalidHTTPAPI: CustomStringConvertible {
    /// The faults, one a line.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}
