import Foundation
public import HTTPTypes

/// The head of a stored response, with all that the rules ask about it; its body lies elsewhere.
///
/// A class, because it goes through all that is done with it, and has dozens of words to be copied; it never changes.
public final class StoredResponse: Sendable {
    /// GET, which answers HEAD too, or HEAD.
    package let method: HTTPRequest.Method
    /// For which requests it was selected (RFC 9111, section 4.1).
    package let selection: SelectingFields
    /// Status and fields as they are kept (RFC 9111, section 3.1).
    public let response: HTTPResponse
    package let times: ExchangeTimes
    package let content: StoredContent
    /// What ``response`` says about caching.
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
            // They come of the other two.
            fields: response == nil && times == nil ? fields : nil
        )
    }

    /// Whether the other has no use any more once this one is stored: it would answer the same requests.
    package func replaces(_ other: StoredResponse) -> Bool {
        method == other.method && selection == other.selection
    }

    /// Whether this one is to be chosen of the two (RFC 9111, section 4): the one generated last.
    package func isMoreRecent(than other: StoredResponse) -> Bool {
        (fields.date, times.received) > (other.fields.date, other.times.received)
    }
}

extension StoredResponse: Hashable {
    /// Whether they are the same in all that is stored of them.
    public static func == (one: StoredResponse, other: StoredResponse) -> Bool {
        one === other
            || one.method == other.method && one.selection == other.selection && one.response == other.response
                && one.times == other.times && one.content == other.content
    }

    /// Hashes what is compared.
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
    /// About how many bytes the fields take in memory.
    var approximateSize: Int {
        reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }
}
