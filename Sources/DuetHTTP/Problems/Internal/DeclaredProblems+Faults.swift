extension DeclaredProblems {
    /// What is wrong with the problems that an API and its messages declare.
    ///
    /// A type may be declared any number of times, but an identifier belongs to one type alone.
    static func faults(of messages: [any HTTPMessage.Type], _ settings: HTTPSettings) -> [InvalidHTTPAPI.Fault] {
        var known: [String: (type: any HTTPProblem.Type, message: String?)] = [:]
        var faults: [InvalidHTTPAPI.Fault] = []
        let declared =
            settings.problems.map { ($0, nil) }
            + messages.flatMap { message in message.problems.map { ($0, message.messageName) } }
        for (type, message) in declared {
            let identifier = type.problemType
            if ["", "about:blank"].contains(identifier) {
                faults.append(
                    .init(
                        [message].compactMap(\.self),
                        "\(type) needs a problemType of its own, not \"\(identifier)\"."
                    )
                )
            } else if let other = known[identifier] {
                guard other.type != type else { continue }
                faults.append(
                    .init(
                        [other.message, message].compactMap(\.self),
                        "\(other.type) and \(type) both have the problemType \(identifier). Give each its own."
                    )
                )
            } else {
                known[identifier] = (type, message)
            }
        }
        return faults
    }
}
