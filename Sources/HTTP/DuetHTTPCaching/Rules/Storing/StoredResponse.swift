public import Foundation
public import HTTPTypes

/// A stored response with its body, and the properties that the caching rules need.
///
/// An immutable class, to avoid copying a large value.
public final class StoredResponse: Identifiable, Sendable {
    /// The identifier of this response; one with newer fields has another.
    public let id: UUID
    /// The request fields that select the response (RFC 9111, section 4.1).
    package let selection: SelectingFields
    /// The stored status and fields (RFC 9111, section 3.1).
    public let response: HTTPResponse
    /// The whole body.
    public let body: Data
    package let times: ExchangeTimes
    package let fields: CachingFields

    /// - Parameter fields: The caching fields of `response`, if they have been parsed already.
    package init(
        id: UUID = UUID(),
        selection: SelectingFields,
        response: HTTPResponse,
        body: Data = Data(),
        times: ExchangeTimes,
        fields: CachingFields? = nil
    ) {
        self.id = id
        self.selection = selection
        self.response = response
        self.body = body
        self.times = times
        self.fields = fields ?? CachingFields(response.headerFields, received: times.received)
    }

    /// The same response with a body, or with other fields for this cache.
    package func with(_ body: Data? = nil, fields: CachingFields? = nil) -> StoredResponse {
        let (body, fields) = (body ?? self.body, fields ?? self.fields)
        return StoredResponse(
            id: id,
            selection: selection,
            response: response,
            body: body,
            times: times,
            fields: fields
        )
    }

    /// The response with other fields.
    package func replacing(
        selection: SelectingFields? = nil,
        response: HTTPResponse,
        times: ExchangeTimes? = nil
    ) -> StoredResponse {
        StoredResponse(
            selection: selection ?? self.selection,
            response: response,
            body: body,
            times: times ?? self.times
        )
    }

    /// Whether the body has the announced length.
    ///
    /// With another length it would end within the next response on its connection.
    package var isWhole: Bool {
        response.headerFields[values: .contentLength].allSatisfy { Int64(digits: $0.utf8) == Int64(body.count) }
    }

    /// Whether storing this response makes the other obsolete, because both serve the same requests.
    package func replaces(_ other: StoredResponse) -> Bool { selection == other.selection }

    /// Whether this response was generated later, and is therefore preferred (RFC 9111, section 4).
    package func isMoreRecent(than other: StoredResponse) -> Bool {
        (fields.date, times.received) > (other.fields.date, other.times.received)
    }

    /// Whether the other arrived later and is preferred to this one.
    func isOvertaken(by other: StoredResponse) -> Bool {
        other.isMoreRecent(than: self) && other.times.received >= times.received
    }
}

extension StoredResponse: Hashable {
    /// Compares the stored properties, and not those that are derived from them.
    public static func == (one: StoredResponse, other: StoredResponse) -> Bool {
        one === other
            || one.id == other.id && one.selection == other.selection && one.response == other.response
                && one.times == other.times && one.body == other.body
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension StoredResponse {
    /// The approximate number of bytes that the response takes in memory, for stores that are bounded by bytes.
    public var size: Int64 {
        Int64(body.count + response.headerFields.approximateSize + selection.approximateSize + 512)
    }
}

extension Sequence<HTTPField> {
    /// The approximate number of bytes that the fields take in memory.
    var approximateSize: Int {
        reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }
}

extension StoredResponse: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, selection, response, body, times
    }

    /// Encodes the stored properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(selection, forKey: .selection)
        try container.encode(response, forKey: .response)
        try container.encode(body, forKey: .body)
        try container.encode(times, forKey: .times)
    }

    /// Decodes a stored response.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(UUID.self, forKey: .id),
            selection: try container.decode(SelectingFields.self, forKey: .selection),
            response: try container.decode(HTTPResponse.self, forKey: .response),
            body: try container.decode(Data.self, forKey: .body),
            times: try container.decode(ExchangeTimes.self, forKey: .times)
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
