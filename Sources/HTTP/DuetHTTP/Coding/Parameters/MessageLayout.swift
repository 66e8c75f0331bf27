/// How the properties of one message type are distributed over a request.
struct MessageLayout {
    enum Content: Hashable {
        /// No body: properties are in the path or in the query.
        case none
        /// The properties that are not in the path are a JSON object.
        case object
        /// They are written like a query.
        case form
        /// The property of this coding key is the body.
        ///
        /// The others are in the path or in the query.
        case property(String)
    }

    let message: String
    let template: PathTemplate
    let names: KeyNames
    let dates: HTTPCoding.Dates
    let defaults: [String: String]
    let content: Content

    /// Whether an optional value without parameters is written, so that it is distinguishable from nil.
    let marksEmptyValues: Bool

    /// Parameters that are always written with a nested value of the same name and so need no marker for its presence.
    var selfMarking: Set<String> = []

    func place(of key: String) -> ParameterPlace {
        if case .property(key) = content { return .body }
        let name = names.name(key)
        return template.placeholders.contains(name) ? .path(name) : .query(name)
    }
}

enum ParameterPlace: Hashable {
    case message
    case path(String)
    /// One or more parameters of the query.
    case query(String)
    /// One of several values of a query parameter.
    ///
    /// The text is only used for reading.
    case element(String, text: String)
    case body

    /// The name used in error messages.
    var name: String {
        switch self {
        case .message: "the message"
        case .path(let name), .query(let name), .element(let name, _): name
        case .body: "body"
        }
    }
}
