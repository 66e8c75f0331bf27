import DuetHTTP
import Foundation
import HTTPTypes

/// Handles requests as the rules decide: from the store, or with a fetch whose response is stored.
///
/// The store is where requests meet. One of several requests for the same response fetches it, and the others read it
/// from the store when it is there.
final class CacheEngine: Sendable {
    let store: GuardedStore
    let policy: HTTPCachePolicy
    let configuration: CachingHTTPClient.Configuration
    let partitions: Partitions
    /// The size of the largest response that the store takes; nil if unknown.
    let largestResponse: Int64?
    let epochs = Epochs()
    let inFlight = InFlightTable()
    let revalidator: Revalidator
    let counters = CacheCounters()

    init(
        store: GuardedStore,
        largestResponse: Int64?,
        policy: HTTPCachePolicy,
        configuration: CachingHTTPClient.Configuration,
        partitions: Partitions
    ) {
        self.store = store
        self.largestResponse = largestResponse
        self.policy = policy
        self.configuration = configuration
        self.partitions = partitions
        revalidator = Revalidator(limit: configuration.revalidationLimit)
    }

    func now() -> Date { configuration.now() }

    /// Responds to a request.
    ///
    /// - Parameter readsStore: False if a stored response has just turned out to be broken.
    func respond(
        to request: HTTPRequest,
        body: HTTPBody?,
        from origin: any HTTPClient,
        readsStore: Bool = true
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard request.method == .get || request.method == .head else {
            // A query sent as POST changes nothing, and its response depends on its body, which is not part of the key.
            guard HTTPRequestOptions.current.isSafe(request) else { return try await change(request, body, origin) }
            return try await bypass(request, body, origin, .method)
        }
        guard body == nil else { return try await bypass(request, body, origin, .bypass, .requestBody) }
        guard let uri = CacheKey(request)?.uri else { return try await bypass(request, body, origin, .bypass, .target) }
        guard let partition = partitions.partition(of: request) else {
            return try await bypass(request, body, origin, .bypass, .hiddenCredentials)
        }
        let key = HTTPCacheKey(partition: partition, uri: uri)
        return try await respond(to: cacheRequest(request, key, origin, readsStore: readsStore))
    }

    private func respond(to request: CacheRequest) async throws -> (HTTPResponse, HTTPBody) {
        switch policy.lookup(in: request.responses, for: request.request, at: now()) {
        case .hit(let hit):
            if hit.staleness == .whileRevalidate, !revalidatesInBackground(hit, request) {
                return try await fetch(Fetch(validating: hit.stored, for: request.request, reason: .stale), request)
            }
            if let response = await stored(hit, request, status(of: hit)) { return finish(response) }
            // The entry was removed after the lookup.
            guard !CacheControl(request.request.headerFields).onlyIfCached else { return gatewayTimeout() }
            return try await fetch(Fetch(request.request, reason: .miss), request)
        case .fetch(let fetch):
            return try await self.fetch(fetch, request)
        case .gatewayTimeout:
            return gatewayTimeout()
        }
    }

    /// Reads what is stored under the key of a request.
    func cacheRequest(
        _ request: HTTPRequest,
        _ key: HTTPCacheKey,
        _ origin: any HTTPClient,
        readsStore: Bool = true
    ) async -> CacheRequest {
        // Before the store is read, so that an invalidation from now on is noticed.
        let epoch = epochs.current(key.hashedURI)
        let entries = readsStore ? await store.entries(for: key) : []
        return CacheRequest(request, key: key, entries: entries, epoch: epoch, origin: origin)
    }

    /// Sends a request that stored responses do not concern.
    private func bypass(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ origin: any HTTPClient,
        _ reason: ForwardReason,
        _ notStored: NotStored? = nil
    ) async throws -> (HTTPResponse, HTTPBody) {
        let (head, body) = try await origin.send(request, body: body)
        return finish(head, body, status(reason).notStored(notStored))
    }

    /// RFC 9111, section 5.2.1.7.
    private func gatewayTimeout() -> (HTTPResponse, HTTPBody) {
        let head = HTTPResponse(status: .gatewayTimeout, headerFields: [.contentLength: "0"])
        var status = status()
        status.detail = CacheStatus.onlyIfCached
        return finish(head, HTTPBody(Data()), status)
    }

    // MARK: Stored responses

    /// The response of a hit; nil if it was removed, or if its head announces another length than the body has.
    func stored(
        _ hit: Hit,
        id: HTTPCacheEntry.ID? = nil,
        _ request: CacheRequest,
        _ status: CacheStatus
    ) async -> CacheResponse? {
        guard let id = id ?? request.id(of: hit.stored), let response = hit.response(to: request.request) else {
            return nil
        }
        let content = hit.stored.content
        let range: Range<Int64>?
        switch response {
        case .whole where request.request.method == .get:
            range = nil
        case .part(_, let part):
            let start = content.range.lowerBound
            range = part.lowerBound - start..<part.upperBound - start
        case .whole, .notModified, .notSatisfiable:
            await store.markUsed(id)
            return .empty(response.head, status)
        }
        let count = (range ?? content.range).length
        guard response.head.announces(count),
            let body = await store.body(of: id, in: range, count: count, to: request.request)
        else { return nil }
        await store.markUsed(id)
        return CacheResponse(head: response.head, body: .body(body), status: status)
    }

    /// A stale response in place of a failed origin (RFC 5861, section 4).
    ///
    /// It is not a hit, because the request went to the origin (RFC 9211, section 2.1).
    func stale(_ stored: StoredResponse, _ request: CacheRequest, insteadOf code: Int? = nil) async -> CacheResponse? {
        // It may have been removed during the fetch, which a response without a body would not notice.
        guard let hit = policy.reuseAfterFailure(of: stored, for: request.request, at: now()),
            let id = request.id(of: stored), await store.entries(for: request.key).contains(where: { $0.id == id })
        else { return nil }
        var status = status(.stale)
        status.forwardStatus = code
        status.ttl = hit.ttl
        status.detail = CacheStatus.originFailed
        return await self.stored(hit, request, status)
    }

    // MARK: The end of a request

    func status(_ forward: ForwardReason? = nil) -> CacheStatus {
        CacheStatus(cache: configuration.name, forward: forward)
    }

    func status(of hit: Hit) -> CacheStatus {
        CacheStatus(cache: configuration.name, hit: true, ttl: hit.ttl)
    }

    /// Counts a response and adds `Cache-Status` to it.
    func finish(_ head: HTTPResponse, _ body: HTTPBody, _ status: CacheStatus) -> (HTTPResponse, HTTPBody) {
        counters.count(status)
        var head = head
        status.append(to: &head.headerFields)
        return (head, body)
    }

    /// - Parameter caller: The caller of the fetch that the response comes from.
    func finish(_ response: CacheResponse, _ caller: InFlightPosition? = nil) -> (HTTPResponse, HTTPBody) {
        switch response.body {
        case .body(let body):
            return finish(response.head, body, response.status)
        case .inFlight(let size):
            guard let caller else { preconditionFailure("A body in flight is read by the caller of its fetch.") }
            return finish(response.head, HTTPBody(of: caller, size: size), response.status)
        }
    }
}

extension HTTPResponse {
    /// Whether a body of this length fits.
    ///
    /// With another length it would end within the next response on its connection.
    fileprivate func announces(_ count: Int64) -> Bool {
        headerFields[values: .contentLength].allSatisfy { Int64(digits: $0.utf8) == count }
    }
}
