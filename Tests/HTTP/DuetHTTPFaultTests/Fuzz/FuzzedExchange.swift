import HTTPTypes

/// A request and its response, parsed from an input.
struct FuzzedExchange {
    let request: HTTPRequest
    let response: HTTPResponse

    /// Nil if the input does not begin with a method.
    init?(_ input: [UInt8]) {
        var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let words = lines.removeFirst().split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard let first = words.first, let method = HTTPRequest.Method(String(decoding: first, as: UTF8.self)) else {
            return nil
        }
        let path = words.count > 1 ? String(decoding: words[1], as: UTF8.self) : "/"
        let asked = lines.prefix { !$0.isEmpty }
        let answered = lines.dropFirst(asked.count + 1)
        let status = answered.first.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 200
        request = HTTPRequest(
            method: method,
            scheme: "https",
            authority: "example.com",
            path: path,
            headerFields: Self.fields(asked)
        )
        response = HTTPResponse(
            // The statuses that a client accepts.
            status: HTTPResponse.Status(code: (200...599).contains(status) ? status : 200),
            headerFields: Self.fields(answered.dropFirst())
        )
    }

    private static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            else { continue }
            fields.append(HTTPField(name: name, value: line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }))
        }
        return fields
    }
}
