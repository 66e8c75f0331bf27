/// Where in a request a value stands.
enum ParameterPlace: Hashable {
    /// The message itself.
    case message
    /// A placeholder of the path.
    case path(String)
    /// A parameter of the query, or several that it is spread over.
    case query(String)
    /// One of several values of a parameter of the query; the text is there when reading.
    case element(String, text: String)
    /// The body.
    case body

    /// The name that a person knows it by.
    var name: String {
        switch self {
        case .message: "the message"
        case .path(let name), .query(let name), .element(let name, _): name
        case .body: "body"
        }
    }
}
