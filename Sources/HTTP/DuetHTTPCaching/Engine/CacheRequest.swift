import DuetHTTP
import HTTPTypes

/// A request together with the responses that are stored under its key.
///
/// A class, to avoid copying a large value.
final class CacheRequest: Sendable {
    let request: HTTPRequest
    let key: HTTPCacheKey
    let responses: [StoredResponse]
    /// The epoch in which the responses were read.
    let epoch: Epoch
    /// The client that sends requests to the origin.
    let origin: any HTTPClient

    init(
        _ request: HTTPRequest,
        key: HTTPCacheKey,
        responses: [StoredResponse],
        epoch: Epoch,
        origin: any HTTPClient
    ) {
        self.request = request
        self.key = key
        self.responses = responses
        self.epoch = epoch
        self.origin = origin
    }

    /// Whether a response that is no failure of the origin is stored for such requests.
    var hasUsableResponse: Bool {
        responses.contains { !StatusCode.isFailure($0.response.status.code) && $0.selection.matches(request) }
    }

    /// The key that another request must share to wait for this one's response; nil if the response may be meant for
    /// this request alone.
    var sharingKey: InFlightTable.Key? {
        guard !Self.ownFields.contains(where: request.headerFields.contains) else { return nil }
        let newest = responses.first?.response.headerFields
        return InFlightTable.Key(key: key, variant: newest.map { SelectingFields($0, of: request).key } ?? "")
    }

    /// Fields that ask for something that other requests do not ask for.
    private static let ownFields: [HTTPField.Name] = [
        .cacheControl, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}
