/// All faults of a list, which a carrier found when it was created.
public struct InvalidMessageAPI: Error, Hashable, CustomStringConvertible {
    /// One text for each fault, which says what is wrong and what to do about it.
    package let faults: [String]

    package init(faults: [String]) {
        self.faults = faults
    }

    /// The faults, one on each line.
    public var description: String { faults.joined(separator: "\n") }
}

/// The error of a message that a ``MessageAPI`` does not list, or lists without a rule.
public struct MessageAPIError: Error, Hashable, CustomStringConvertible {
    package let message: String

    /// The missing part, and the line to write.
    public private(set) var description: String

    package init(unlisted message: any Message.Type, in api: String) {
        self.message = message.messageName
        description = "\(message.messageName) is not in the API “\(api)”: add \(message).self to its list."
    }

    package init(_ message: any Message.Type, in api: MessageAPI, over carrier: Carrier) {
        self.init(unlisted: message, in: api.name)
        guard api.entries.contains(where: { $0.message == message }) else { return }
        description = """
            \(self.message) is in the API “\(api.name)”, but not over \(carrier.name): its entry has only(over:) or \
            not(over:).
            """
    }

    init(_ fault: MessageAPI.Fault) {
        message = fault.message
        description = fault.description
    }
}
