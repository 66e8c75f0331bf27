import DuetHTTP
import Foundation
import HTTPTypes

/// Requests that change something, and removals. After each, no response that was requested before is stored.
extension CacheEngine {
    /// Sends a request with an unsafe method, and removes what it invalidates (RFC 9111, section 4.4).
    func change(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ origin: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        let uri = TargetURI(request)?.uri
        let isSafe = HTTPCachePolicy.isSafe(request.method)
        defer { if let uri, !isSafe { separate(uri) } }
        let before = uri.map { epochs.current(HashedURI($0)) }
        let response: OriginResponse
        do {
            response = try await send(request, body, to: origin)
        } catch {
            guard (error as? HTTPClientError)?.isUnsent != true else { throw error }
            // The request may have been carried out.
            await invalidate(policy.invalidated(by: request, answered: HTTPResponse(status: .ok)))
            throw error
        }
        if let uri, !isSafe, let groups = StringList.parse(response.head.headerFields[values: .cacheGroupInvalidation])
        {
            store.groups.invalidate(groups, of: uri, at: now())
        }
        let epoch = await invalidate(policy.invalidated(by: request, answered: response.head), keeping: before)
        let status = status(.method)
        let decision = policy.storing(response.head, to: request, at: response.times)
        guard let uri, let stored = decision.stored, let partition = partitions.partition(of: request) else {
            // `fwd=method` says already that the method's responses are not stored.
            return finish(response.forwarded(status, notStored: decision.refusal == .method ? nil : decision.refusal))
        }
        let key = HTTPCacheKey(partition: partition, uri: uri)
        guard let epoch else {
            return finish(response.forwarded(status, notStored: .outdated))
        }
        let cacheRequest = CacheRequest(request, key: key, responses: [], epoch: epoch, origin: origin)
        return finish(try await receive(response, as: stored, status, cacheRequest).response)
    }

    /// Keeps requests after a change from waiting for one to the same origin that began before.
    private func separate(_ uri: String) {
        let origin = GroupInvalidations.origin(of: uri) + "/"
        inFlight.removeAll { $0.hasPrefix(origin) }
    }

    /// Removes everything.
    ///
    /// - Throws: The store's error. This client does not serve what could not be removed.
    func removeAll() async throws {
        try await remove(where: { _ in true }, from: { try await $0.removeAll() })
    }

    func removeAll(answering request: HTTPRequest) async throws {
        guard let key = TargetURI(request) else { throw HTTPCacheError.noTarget(url: request.loggableURL) }
        await invalidate([key])
    }

    /// Removes the responses to requests for the same path and for all paths below it, in all partitions.
    func removeAll(under request: HTTPRequest) async throws {
        guard let key = TargetURI(request) else { throw HTTPCacheError.noTarget(url: request.loggableURL) }
        let path = String(key.uri.prefix { $0 != "?" })
        let prefixes = path.hasSuffix("/") ? [path] : [path + "?", path + "/"]
        let isUnder: @Sendable (String) -> Bool = { uri in uri == path || prefixes.contains(where: uri.hasPrefix) }
        try await remove(where: isUnder) { store in
            await store.remove(.uri(path))
            for prefix in prefixes { await store.remove(.prefix(prefix)) }
        }
    }

    /// Runs in its own task, like ``invalidate(_:keeping:)``.
    private func remove(
        where condition: @escaping @Sendable (_ uri: String) -> Bool,
        from removal: @escaping @Sendable (GuardedStore) async throws -> Void
    ) async throws {
        try await Task {
            inFlight.removeAll(where: condition)
            await epochs.advanceAll()
            try await removal(store)
        }.value
    }

    /// Removes the responses to URIs, and keeps responses that were requested before from being stored.
    ///
    /// Runs in its own task, because invalid responses must be removed even if the caller has left.
    ///
    /// - Parameter own: The epoch of the response that invalidates them.
    /// - Returns: The epoch in which that response may be stored.
    @discardableResult
    private func invalidate(_ keys: [TargetURI], keeping own: Epoch? = nil) async -> Epoch? {
        guard !keys.isEmpty else { return own }
        return await Task {
            var own = own
            for key in keys {
                inFlight.removeAll { $0 == key.uri }
                own = await epochs.advance(HashedURI(key.uri), keeping: own)
                await store.remove(.uri(key.uri))
            }
            return own
        }.value
    }
}
