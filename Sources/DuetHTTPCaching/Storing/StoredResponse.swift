import Foundation
public import HTTPTypes

/// The head of a stored response.
///
/// Its body is stored separately.
///
/// An immutable class, to avoid copying a large value.
public final class StoredResponse: Sendable {
    /// GET, which also answers HEAD, or HEAD.
    package let method: HTTPRequest.Method
    /// The selecting fields of the requests that it answers (RFC 9111, section 4.1).
    package let selection: SelectingFields
    /// The stored status and fields (RFC 9111, section 3.1).
    public let response: HTTPResponse
    package let times: ExchangeTimes
    package let content: StoredContent
    /// The fields of ``response`` that concern caching.
    package let fields: CachingFields

    /// - Parameter fields: What `response` says about caching, for one who has read that already.
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
            // The fields are derived from the response and the times.
            fields: response == nil && times == nil ? fields : nil
        )
    }

    /// Whether this response replaces another one, because both answer the same requests.
    package func replaces(_ other: StoredResponse) -> Bool {
        method == other.method && selection == other.selection
    }

    /// Whether this response is preferred to another one: the most recently generated one is (RFC 9111, section 4).
    package func isMoreRecent(than other: StoredResponse) -> Bool {
        (fields.date, times.received) > (other.fields.date, other.times.received)
    }
}

extension StoredResponse: Hashable {
    /// Compares everything that is stored.
    public static func == (one: StoredResponse, other: StoredResponse) -> Bool {
        one === other
            || one.method == other.method && one.selection == other.selection && one.response == other.response
                && one.times == other.times && one.content == other.content
    }

    /// Hashes the compared values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(selection)
        hasher.combine(response)
        hasher.combine(times)
        hasher.combine(content)
    }
}

extension StoredResponse {
    /// The approximate size of the head in memory, in bytes.
    package var approximateSize: Int64 {
        Int64(response.headerFields.approximateSize + selection.approximateSize + 512)
    }
}

extension Sequence<HTTPField> {
    /// The approximate size of the fields in memory, in bytes.
    var approximateSize: Int {
        reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }
}
