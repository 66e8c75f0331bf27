/// All faults in the messages of an API.
public struct InvalidHTTPAPI: Error, Hashable, Sendable {
    /// One fault and how to correct it.
    public struct Fault: Hashable, Sendable, CustomStringConvertible {
        /// The names of the messages with the fault.
        public let messages: [String]

        /// A description of the fault and how to correct it.
        public let description: String

        package init(_ messages: [String], _ description: String) {
            self.messages = messages
            self.description = description
        }
    }

    /// The faults in the order of the messages.
    public let faults: [Fault]

    package init(_ faults: [Fault]) {
        self.faults = faults
    }
}

extension InvalidHTTPAPI: CustomStringConvertible {
    /// The faults, one per line.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}
