/// How the properties of one type of message are spread over a request.
struct MessageLayout: Sendable {
    enum Content: Hashable, Sendable {
        /// None: what is not in the path is in the query.
        case none
        /// What is not in the path is a JSON object.
        case object
        /// The property of this coding key is the body; the others are in path and query.
        case property(String)
    }

    let message: String
    let template: PathTemplate
    let names: KeyNames
    let dates: HTTPCoding.Dates
    let defaults: [String: String]
    let content: Content

    /// Parameters that stand for a value by being always in it, so that none is needed that only says that it is there.
    var selfTold: Set<String> = []

    /// Where a property of the message goes.
    func place(of key: String) -> ParameterPlace {
        if case .property(key) = content { return .body }
        let name = names.name(key)
        return template.placeholders.contains(name) ? .path(name) : .query(name)
    }
}
