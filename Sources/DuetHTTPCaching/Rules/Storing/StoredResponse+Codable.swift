import HTTPTypes

extension StoredResponse: Codable {
    private enum Key: String, CodingKey {
        case method, selection, response, times, content
    }

    /// Writes the head and the range of the body.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(method.rawValue, forKey: .method)
        try container.encode(selection, forKey: .selection)
        try container.encode(response, forKey: .response)
        try container.encode(times, forKey: .times)
        try container.encode(content, forKey: .content)
    }

    /// Reads a stored response.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let text = try container.decode(String.self, forKey: .method)
        guard let method = HTTPRequest.Method(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .method,
                in: container,
                debugDescription: "no method: \(text)"
            )
        }
        let content = try container.decode(StoredContent.self, forKey: .content)
        guard content.isConsistent else {
            throw DecodingError.dataCorruptedError(
                forKey: .content,
                in: container,
                debugDescription: "no content: \(content)"
            )
        }
        self.init(
            method: method,
            selection: try container.decode(SelectingFields.self, forKey: .selection),
            response: try container.decode(HTTPResponse.self, forKey: .response),
            times: try container.decode(ExchangeTimes.self, forKey: .times),
            content: content
        )
    }
}
