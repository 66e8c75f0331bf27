import HTTPTypes

/// The selecting fields of a request, each normalized once for all stored responses.
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
