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

    init(_ request: HTTPRequest, key: HTTPCacheKey, entries: [HTTPCacheEntry], epoch: Epoch, origin: any HTTPClient) {
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

    /// The key that another request must share to wait for this one's response; nil if the response may be meant for
    /// this request alone.
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
    private let context: TaskContext

    /// The values without the deadline of the request, which others may not have.
    ///
    /// - Parameter caller: Gets informational responses until it leaves; nil for a fetch in the background, to which no
    ///   limits of the request apply.
    init(_ caller: InFlightPosition?) {
        var options = HTTPRequestOptions.current
        if caller == nil {
            options.onInformationalResponse = nil
            options.collectsBody = false
            options.maximumBodySize = nil
        } else if let report = options.onInformationalResponse {
            options.onInformationalResponse = { [weak caller] response in
                if caller != nil { report(response) }
            }
        }
        var context = TaskContext.current
        context.service?.deadline = nil
        self.options = options
        self.context = context
    }

    func use<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await context.run {
            try await options.use { try await operation() }
        }
    }
}
