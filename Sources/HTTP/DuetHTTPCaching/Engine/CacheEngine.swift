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
    let epochs = ResponseEpochs()
    let inFlight = InFlightTable()
    let counters = CacheCounters()

    init(
        store: GuardedStore,
        policy: HTTPCachePolicy,
        configuration: CachingHTTPClient.Configuration,
        partitions: Partitions
    ) {
        self.store = store
        self.policy = policy
        self.configuration = configuration
        self.partitions = partitions
    }

    func now() -> Date { configuration.now() }

    func respond(
        to request: HTTPRequest,
        body: HTTPBody?,
        from origin: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard request.method == .get else {
            // A query sent as POST changes nothing, and its response depends on its body, which is not part of the key.
            let isSafe = request.method == .head || HTTPRequestOptions.current.isSafe(request)
            guard isSafe else { return try await change(request, body, origin) }
            return try await bypass(request, body, to: origin, .method)
        }
        guard body == nil else { return try await bypass(request, body, to: origin, .bypass, notStored: .requestBody) }
        guard !request.headerFields.contains(.range) else {
            return try await bypass(request, body, to: origin, .bypass, notStored: .range)
        }
        guard let uri = TargetURI(request)?.uri else {
            return try await bypass(request, body, to: origin, .bypass, notStored: .target)
        }
        guard let partition = partitions.partition(of: request) else {
            return try await bypass(request, body, to: origin, .bypass, notStored: .hiddenCredentials)
        }
        let key = HTTPCacheKey(partition: partition, uri: uri)
        return finish(try await respond(to: cacheRequest(request, key, origin)))
    }

    private func respond(to request: CacheRequest) async throws -> CacheResponse {
        switch policy.lookup(in: request.responses, for: request.request, at: now()) {
        case .hit(let hit): CacheResponse(hit, to: request.request, status(of: hit))
        case .fetch(let fetch): try await self.fetch(fetch, request)
        case .gatewayTimeout: gatewayTimeout
        }
    }

    /// Reads what is stored under the key of a request.
    func cacheRequest(_ request: HTTPRequest, _ key: HTTPCacheKey, _ origin: any HTTPClient) async -> CacheRequest {
        // Before the store is read, so that an invalidation from now on is noticed.
        let epoch = epochs.current(key.hashedURI)
        let responses = await store.responses(for: key)
        return CacheRequest(request, key: key, responses: responses, epoch: epoch, origin: origin)
    }

    /// Sends a request that stored responses do not concern.
    private func bypass(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        to origin: any HTTPClient,
        _ reason: ForwardReason,
        notStored: NotStored? = nil
    ) async throws -> (HTTPResponse, HTTPBody) {
        let (head, body) = try await origin.send(request, body: body)
        return finish(CacheResponse(head: head, body: body, status: status(reason).notStored(notStored)))
    }

    /// RFC 9111, section 5.2.1.7.
    private var gatewayTimeout: CacheResponse {
        let head = HTTPResponse(status: .gatewayTimeout, headerFields: [.contentLength: "0"])
        var status = status()
        status.detail = CacheStatus.onlyIfCached
        return CacheResponse(head: head, body: HTTPBody(Data()), status: status)
    }

    /// A stale response in place of a failed origin (RFC 5861, section 4).
    ///
    /// It is not a hit, because the request went to the origin (RFC 9211, section 2.1).
    func stale(_ stored: StoredResponse, _ request: CacheRequest, insteadOf code: Int? = nil) async -> CacheResponse? {
        // It may have been removed during the fetch.
        guard let hit = policy.reuseAfterFailure(of: stored, for: request.request, at: now()),
            await store.responses(for: request.key).contains(where: { $0.id == stored.id })
        else { return nil }
        var status = status(.stale)
        status.forwardStatus = code
        status.ttl = hit.ttl
        status.detail = CacheStatus.originFailed
        return CacheResponse(hit, to: request.request, status)
    }

    // MARK: The end of a request

    func status(_ forward: ForwardReason? = nil) -> CacheStatus {
        CacheStatus(cache: configuration.name, forward: forward)
    }

    func status(of hit: Hit) -> CacheStatus {
        CacheStatus(cache: configuration.name, hit: true, ttl: hit.ttl)
    }

    func finish(_ response: CacheResponse) -> (HTTPResponse, HTTPBody) {
        counters.count(response.status)
        var head = response.head
        response.status.append(to: &head.headerFields)
        return (head, response.body)
    }
}
