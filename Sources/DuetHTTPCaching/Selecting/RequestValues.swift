import HTTPTypes

/// The fields of a request that responses are selected by, each read once, however many responses there are.
struct RequestValues {
    private let fields: HTTPFields
    private var known: [String: String?] = [:]

    init(of request: HTTPRequest) {
        fields = request.headerFields
    }

    mutating func normalized(_ name: String) -> String? {
        if let value = known[name] { return value }
        let value = SelectingValue.normalized(name, in: fields)
        known.updateValue(value, forKey: name)
        return value
    }
}
