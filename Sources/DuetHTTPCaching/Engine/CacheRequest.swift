import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule

/// A request together with the entries that are stored under its key.
///
/// A class, to avoid copying a large value.
final class CacheRequest: Sendable {
    let request: HTTPRequest
    let key: HTTPCacheKey
    let entries: [HTTPCacheEntry]
    /// The epoch in which the entries were read.
    let epoch: Epoch
    /// The client that sends requests to the origin.
    let origin: any HTTPClient

    init(
        _ request: HTTPRequest,
        key: HTTPCacheKey,
        entries: [HTTPCacheEntry],
        epoch: Epoch,
        origin: any HTTPClient
    ) {
        self.request = request
        self.key = key
        self.entries = entries
        self.epoch = epoch
        self.origin = origin
    }

    var responses: [StoredResponse] { entries.map(\.response) }

    /// Whether a response that is no failure of the origin is stored for such requests.
    var hasUsableResponse: Bool {
        responses.contains { !StatusCode.isFailure($0.response.status.code) && $0.selection.matches(request) }
    }

    func id(of stored: StoredResponse) -> HTTPCacheEntry.ID? {
        if entries.count == 1 { return entries[0].id }
        return entries.first { $0.response == stored }?.id
    }

    /// The same entries for another request.
    func replacing(_ request: HTTPRequest) -> CacheRequest {
        CacheRequest(request, key: key, entries: entries, epoch: epoch, origin: origin)
    }

    /// What other requests must have in common with this one to wait for its response; nil if the response may be meant
    /// for this request alone.
    var sharingKey: InFlightTable.Key? {
        guard request.method == .get, !Self.ownFields.contains(where: request.headerFields.contains) else { return nil }
        let newest = entries.first?.response.response.headerFields
        return InFlightTable.Key(key: key, variant: newest.map { SelectingFields($0, of: request).key } ?? "")
    }

    /// Fields that ask for something that other requests do not ask for.
    private static let ownFields: [HTTPField.Name] = [
        .cacheControl, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}

/// The task-local values of a request, for a fetch that goes on without the request.
struct FetchContext: Sendable {
    private let options: HTTPRequestOptions
    private let context: ServiceContext?

    /// The values for a background fetch, which has neither the request's limits nor anyone to report to.
    init() {
        var options = HTTPRequestOptions.current
        options.onInformationalResponse = nil
        options.collectsBody = false
        options.maximumBodySize = nil
        var context = ServiceContext.current
        context?.deadline = nil
        self.options = options
        self.context = context
    }

    /// The values for a fetch that others may wait for; nil if they are those of the caller.
    ///
    /// A caller that has left gets no informational responses, and its timer does not end the fetch.
    init?(sharedBy caller: InFlightCaller) {
        var options = HTTPRequestOptions.current
        var context = ServiceContext.current
        let deadline = context?.deadline
        guard options.onInformationalResponse != nil || deadline?.isEnforced == true else { return nil }
        if let report = options.onInformationalResponse {
            options.onInformationalResponse = { [weak caller] response in
                if caller != nil { report(response) }
            }
        }
        if let deadline { context?.deadline = deadline.unenforced }
        self.options = options
        self.context = context
    }

    func use(_ operation: () async -> Void) async {
        await ServiceContext.withValue(context) {
            await options.use { await operation() }
        }
    }
}
