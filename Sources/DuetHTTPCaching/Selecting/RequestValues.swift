import HTTPTypes

/// The fields of a request that responses are selected by, each read once, however many responses there are.
struct RequestValues {
    private let fields: HTTPFields
    private var known: [String: String?] = [:]

    init(of request: HTTPRequest) {
        fields = request.headerFields
    }

    mutating func normalised(_ name: String) -> String? {
        if let value = known[name] { return value }
        let value = SelectingValue.normalised(name, in: fields)
        known.updateValue(value, forKey: name)
        return value
    }
}
