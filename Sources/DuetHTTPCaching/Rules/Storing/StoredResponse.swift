import Foundation
public import HTTPTypes

/// The head of a stored response, with all that the rules need to know about it.
///
/// An immutable class, to avoid copying a large value.
public final class StoredResponse: Sendable {
    /// GET, which answers HEAD too, or HEAD.
    package let method: HTTPRequest.Method
    /// The request fields that selected it (RFC 9111, section 4.1).
    package let selection: SelectingFields
    /// Status and fields as they are stored (RFC 9111, section 3.1).
    public let response: HTTPResponse
    package let times: ExchangeTimes
    package let content: StoredContent
    /// What ``response`` says about caching.
    package let fields: CachingFields

    /// - Parameter fields: What `response` says about caching, if that has been read already.
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
            // They depend on the other two.
            fields: response == nil && times == nil ? fields : nil
        )
    }

    /// Whether the other is of no use once this one is stored, because it would answer the same requests.
    package func replaces(_ other: StoredResponse) -> Bool {
        method == other.method && selection == other.selection
    }

    /// Whether this one is preferred (RFC 9111, section 4), because it was generated later.
    package func isMoreRecent(than other: StoredResponse) -> Bool {
        (fields.date, times.received) > (other.fields.date, other.times.received)
    }
}

extension StoredResponse: Hashable {
    /// Compares all that is stored of two responses.
    public static func == (one: StoredResponse, other: StoredResponse) -> Bool {
        one === other
            || one.method == other.method && one.selection == other.selection && one.response == other.response
                && one.times == other.times && one.content == other.content
    }

    /// Hashes all that is compared.
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
