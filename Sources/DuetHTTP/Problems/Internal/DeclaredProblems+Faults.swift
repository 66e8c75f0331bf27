import Duet

extension DeclaredProblems {
    /// What is wrong with the problems that an API and its messages declare.
    ///
    /// A type may be declared any number of times, but an identifier belongs to one type alone.
    static func faults(of messages: [any HTTPMessage.Type], _ settings: HTTPSettings) -> [InvalidHTTPAPI.Fault] {
        var known: [String: (type: any HTTPProblem.Type, messages: [String])] = [:]
        var faults: [InvalidHTTPAPI.Fault] = []

        func check(_ type: any HTTPProblem.Type, _ messages: [String], _ keys: HTTPCoding.Keys) {
            let identifier = type.problemType
            if let other = known[identifier] {
                guard other.type != type else { return }
                let sentence = "\(other.type) and \(type) both have the problemType \(identifier). Give each its own."
                faults.append(.init(other.messages + messages, sentence))
            } else {
                known[identifier] = (type, messages)
                faults += sentences(on: type, KeyNames(keys)).map { .init(messages, $0) }
            }
        }

        for type in settings.problems { check(type, [], settings.coding.keys) }
        for message in messages {
            let keys = (message.coding ?? settings.coding).keys
            for type in message.problems { check(type, [message.messageName], keys) }
        }
        return faults
    }

    private static func sentences(on type: any HTTPProblem.Type, _ names: KeyNames) -> [String] {
        var sentences: [String] = []
        if ["", "about:blank"].contains(type.problemType) {
            sentences.append("\(type) needs a problemType of its own, not “\(type.problemType)”.")
        }
        let schema = ReflectedSchema()
        _ = SchemaDecoder.reflect(type, schema) { _ in nil }
        switch schema.kind {
        case .scalar, .list, .dictionary:
            sentences.append(
                "\(type) is not encoded as properties with names. Make it a struct, or an enum without raw values."
            )
        case .object:
            sentences += schema.openKeyFaults(names.keys).map { "\(type) \($0)" }
            sentences += schema.properties.map { names.name($0.key) }.filter(ProblemDetails.ownMembers.contains)
                .map {
                    "\(type) has a property that comes out as \($0), a member that RFC 9457 gives a meaning to. Rename it."
                }
        case .unknown, .cases: break
        }
        return sentences
    }
}
