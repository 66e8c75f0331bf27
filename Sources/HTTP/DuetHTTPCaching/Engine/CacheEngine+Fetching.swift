import DuetHTTP
import Foundation
import HTTPTypes

/// The exchange with the origin, and the processing of its response.
extension CacheEngine {
    func exchange(_ fetch: Fetch, _ request: CacheRequest) async throws -> Fetched {
        let response: OriginResponse
        do {
            response = try await send(fetch.request, to: request.origin)
        } catch {
            guard case .validate(let stored) = fetch.basis, error.isUnreachableOrigin,
                let stale = await stale(stored, request)
            else { throw error }
            return Fetched(stale, .originFailed(nil))
        }
        var status = status(fetch.reason)
        var next = fetch.unconditional
        switch fetch.interpret(response.head, at: response.times, by: policy) {
        case .replaced:
            return await receive(response, status, request)
        case .confirmed(let freshened):
            status.forwardStatus = response.head.status.code
            // Before anything else is sent, which may have to wait for the connection.
            await response.body.discard()
            await freshenOthers(than: freshened.old, by: response, request)
            if let fetched = await confirm(freshened, status, request) { return fetched }
            next = Fetch(fetch.original, reason: .miss)
        case .completed(let combined, let range):
            status.forwardStatus = response.head.status.code
            if case .complete(let part, _) = fetch.basis, let id = request.id(of: part),
                let fetched = try await complete(combined, id, with: range, of: response, status, request)
            {
                return fetched
            }
            await response.body.discard()
        case .failed:
            return await originFailed(response, fetch, status, request)
        case .unusable:
            // A 304 to the client's own condition is its response, if that condition was sent.
            if fetch.request == fetch.original, fetch.hasOwnCondition {
                return Fetched(response.forwarded(status, notStored: .status))
            }
            await response.body.discard()
        }
        return try await exchange(next, request)
    }

    func send(_ request: HTTPRequest, _ body: HTTPBody? = nil, to origin: any HTTPClient) async throws -> OriginResponse
    {
        let requested = now()
        let (head, body) = try await origin.send(request, body: body)
        return OriginResponse(head: head, body: body, times: ExchangeTimes(requested: requested, received: now()))
    }

    /// A stale response in place of a failure, or else the failure.
    private func originFailed(
        _ response: OriginResponse,
        _ fetch: Fetch,
        _ status: CacheStatus,
        _ request: CacheRequest
    ) async -> Fetched {
        let failure = response.forwarded(status, notStored: .originError)
        guard case .validate(let stored) = fetch.basis else { return Fetched(failure) }
        let code = response.head.status.code
        guard let stale = await stale(stored, request, insteadOf: code) else {
            return Fetched(failure, .originFailed(code))
        }
        await response.body.discard()
        return Fetched(stale, .originFailed(code))
    }

    // MARK: Responses that confirm what is stored

    /// A strong tag identifies one representation: other matching responses with that tag get the newer fields, too
    /// (RFC 9111, section 4.3.4).
    private func freshenOthers(
        than confirmed: StoredResponse,
        by response: OriginResponse,
        _ request: CacheRequest
    ) async {
        guard request.entries.count > 1,
            let tag = CachingFields(response.head.headerFields, received: response.times.received).entityTag
        else { return }
        for entry in request.entries where entry.response !== confirmed {
            let old = entry.response
            guard old.fields.entityTag?.matchesStrongly(tag) == true, old.selection.matches(request.request) else {
                continue
            }
            let new = policy.freshened(old, by: response.head, at: response.times, selectedBy: request.request)
            await replace(entry.id, by: new?.storable, request)
        }
    }

    /// The confirmed response; nil if it was removed, or does not contain the requested bytes with its newer fields.
    private func confirm(_ freshened: Freshened, _ status: CacheStatus, _ request: CacheRequest) async -> Fetched? {
        guard let id = request.id(of: freshened.old) else { return nil }
        let hit = policy.confirmedHit(of: freshened.new, at: now())
        var status = status
        status.ttl = hit.ttl
        status.stored = true
        guard var response = await stored(hit, id: id, request, status) else { return nil }
        let refusal: NotStored? =
            if let reason = freshened.refusal { reason } else { store.storable(freshened.new) == nil ? .secret : nil }
        if let refusal {
            // Its body can still be read.
            await store.remove([id])
            response.status = status.notStored(refusal)
            return Fetched(response)
        }
        response.status = status.notStored(await replace(id, by: freshened.new, request))
        let answersOthers = ReuseTerms(freshened.new, by: policy, at: now()).answersOthers
        return Fetched(response, answersOthers ? .stored(response.status) : .notStored)
    }

    /// Replaces the head of an entry, or removes the entry if there is no new head.
    ///
    /// - Returns: Why the new head is not stored, or nil.
    @discardableResult
    func replace(_ id: HTTPCacheEntry.ID, by new: StoredResponse?, _ request: CacheRequest) async -> NotStored? {
        guard let new = new.flatMap(store.storable) else {
            await store.remove([id])
            return .secret
        }
        defer { epochs.noteChange(of: request.key.hashedURI) }
        return await store.update(id, to: new) ? nil : .store
    }

    // MARK: Responses that complete what is stored

    /// The whole response, of which the stored part and the origin's part are read one after the other (RFC 9111,
    /// section 3.4); nil if they do not make up the whole.
    private func complete(
        _ combined: StoredResponse,
        _ id: HTTPCacheEntry.ID,
        with range: Range<Int64>,
        of response: OriginResponse,
        _ status: CacheStatus,
        _ request: CacheRequest
    ) async throws -> Fetched? {
        let old = combined.content.range.length
        guard let whole = combined.joining(range), case .whole(let length) = whole.content,
            old + range.length == length,
            let stored = await store.body(of: id, count: old, to: request.request)
        else { return nil }
        let head: HTTPResponse
        switch policy.confirmedHit(of: whole, at: now()).response(to: request.request) {
        case .whole(let whole):
            head = whole
        case .part, nil:
            // The newer fields fulfill `If-Range`, so that a part is wanted after all, which the origin can send.
            return nil
        case .notModified(let head)?, .notSatisfiable(let head)?:
            await response.body.discard()
            return Fetched(.empty(head, status))
        }
        let new = response.body.counted(range.length, of: request.request)
        let isBehind = range.lowerBound > 0
        let (first, second) = isBehind ? (stored, new) : (new, stored)
        var body = first.followed(by: second, size: length) { new.trailers }
        if HTTPRequestOptions.current.collectsBody {
            do {
                body = HTTPBody(try await body.collected(for: request.request))
            } catch {
                guard error.wrongBodyLength != nil else { throw error }
                // The origin would send as much again.
                await store.remove([id])
                return nil
            }
        }
        let joined = OriginResponse(head: head, body: body, times: response.times)
        if let refusal = policy.storing(whole.response, to: request.request, at: response.times).refusal {
            return forward(joined, as: whole, status, notStored: refusal)
        }
        return await deliver(joined, as: whole, status, request, completing: id)
    }
}

extension Error {
    /// Whether the origin did not respond, so that a stale response may be served instead.
    fileprivate var isUnreachableOrigin: Bool {
        switch (self as? HTTPClientError)?.reason {
        case .connectionFailed, .deadlineExceeded: true
        default: false
        }
    }
}
