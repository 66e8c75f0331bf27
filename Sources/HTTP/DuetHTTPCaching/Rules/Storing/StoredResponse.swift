package import Foundation
public import HTTPTypes

/// The head of a stored response, with the properties that the caching rules need.
///
/// An immutable class, to avoid copying a large value.
public final class StoredResponse: Sendable {
    /// GET, whose response also serves HEAD, or HEAD.
    package let method: HTTPRequest.Method
    /// The request fields that select the response (RFC 9111, section 4.1).
    package let selection: SelectingFields
    /// The stored status and fields (RFC 9111, section 3.1).
    public let response: HTTPResponse
    package let times: ExchangeTimes
    package let content: StoredContent
    package let fields: CachingFields

    /// - Parameter fields: The caching fields of `response`, if they have been parsed already.
    package init(
        method: HTTPRequest.Method,
        selection: SelectingFields,
        response: HTTPResponse,
        times: ExchangeTimes,
        content: StoredContent = .none,
        fields: CachingFields? = nil
    ) {
        self.method = method
        self.selection = selection
        self.response = response
        self.times = times
        self.content = content
        self.fields = fields ?? CachingFields(response.headerFields, received: times.received)
    }

    package func replacing(
        selection: SelectingFields? = nil,
        response: HTTPResponse? = nil,
        times: ExchangeTimes? = nil,
        content: StoredContent? = nil
    ) -> StoredResponse {
        StoredResponse(
            method: method,
            selection: selection ?? self.selection,
            response: response ?? self.response,
            times: times ?? self.times,
            content: content ?? self.content,
            // They depend on the response and its times.
            fields: response == nil && times == nil ? fields : nil
        )
    }

    /// Whether storing this response makes the other obsolete, because both serve the same requests.
    package func replaces(_ other: StoredResponse) -> Bool {
        method == other.method && selection == other.selection
    }

    /// Whether this response was generated later, and is therefore preferred (RFC 9111, section 4).
    package func isMoreRecent(than other: StoredResponse) -> Bool {
        (fields.date, times.received) > (other.fields.date, other.times.received)
    }
}

extension StoredResponse: Hashable {
    /// Compares the stored properties, and not `fields`, which are derived from them.
    public static func == (one: StoredResponse, other: StoredResponse) -> Bool {
        one === other
            || one.method == other.method && one.selection == other.selection && one.response == other.response
                && one.times == other.times && one.content == other.content
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(selection)
        hasher.combine(response)
        hasher.combine(times)
        hasher.combine(content)
    }
}

extension StoredResponse {
    /// The approximate number of bytes that the head takes in memory, for stores that are bounded by bytes.
    public var approximateSize: Int64 {
        Int64(response.headerFields.approximateSize + selection.approximateSize + 512)
    }
}

extension Sequence<HTTPField> {
    /// The approximate number of bytes that the fields take in memory.
    var approximateSize: Int {
        reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }
}

extension StoredResponse: Codable {
    private enum Key: String, CodingKey {
        case method, selection, response, times, content
    }

    /// Encodes the head and the range of the stored body.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(method.rawValue, forKey: .method)
        try container.encode(selection, forKey: .selection)
        try container.encode(response, forKey: .response)
        try container.encode(times, forKey: .times)
        try container.encode(content, forKey: .content)
    }

    /// Decodes a stored response.
    ///
    /// - Throws: `DecodingError` if the method or the range of the body is invalid.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let text = try container.decode(String.self, forKey: .method)
        guard let method = HTTPRequest.Method(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .method,
                in: container,
                debugDescription: "Not a valid method: \(text)"
            )
        }
        let content = try container.decode(StoredContent.self, forKey: .content)
        guard content.isConsistent else {
            throw DecodingError.dataCorruptedError(
                forKey: .content,
                in: container,
                debugDescription: "Not a valid range of a body: \(content)"
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

/// The times when a request was sent and when the head of its response arrived (RFC 9111, section 4.2.3).
package struct ExchangeTimes: Sendable, Hashable, Codable {
    package var requested: Date
    package var received: Date

    package init(requested: Date, received: Date) {
        self.requested = requested
        self.received = received
    }
}
