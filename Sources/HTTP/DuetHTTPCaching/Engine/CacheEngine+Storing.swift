import DuetHTTP
import Foundation
import HTTPTypes

/// New responses: whether they are stored, and what they replace.
extension CacheEngine {
    /// Stores a response that does not complete a stored part, if the rules allow it.
    func receive(_ response: OriginResponse, _ status: CacheStatus, _ request: CacheRequest) async -> Fetched {
        let isStored = !CacheControl(request.request.headerFields).noStore
        if request.request.method == .head, isStored, let fetched = await receiveHead(response, status, request) {
            return fetched
        }
        let stored: StoredResponse
        switch policy.storing(response.head, to: request.request, at: response.times) {
        case .store(let response): stored = response
        case .refuse(let reason):
            await removeOutdated(by: response.head, request)
            return Fetched(response.forwarded(status, notStored: reason))
        }
        if StatusCode.isFailure(response.head.status.code), request.hasUsableResponse {
            // As after a failed validation.
            return forward(response, as: stored, status, notStored: .originError)
        }
        if let refusal = await refusalOfPart(response, as: stored, request) {
            return forward(response, as: stored, status, notStored: refusal)
        }
        return await deliver(response, as: stored, status, request)
    }

    /// Why a part is not stored; nil for a response that is not a part.
    private func refusalOfPart(
        _ response: OriginResponse,
        as stored: StoredResponse,
        _ request: CacheRequest
    ) async -> NotStored? {
        guard response.head.status == .partialContent, let new = ContentRange(response.head)?.range else { return nil }
        for entry in request.entries where entry.response.selection.matches(request.request) {
            let old = entry.response.content.range
            guard entry.response.holdsMore(than: new, of: stored.fields.entityTag) || old.length == new.length,
                old != new,
                let updated = policy.combining(
                    entry.response,
                    with: response.head,
                    to: request.request,
                    at: response.times
                )
            else { continue }
            // The larger part of the same representation stays, with the newer fields.
            if case .part = entry.response.content { await replace(entry.id, by: updated, request) }
            return .range
        }
        // A response to `If-Range` need not repeat the fields that its client has (RFC 9110, section 15.3.7).
        return request.request.headerFields.contains(.ifRange) ? .range : nil
    }

    /// Forwards a response without storing it.
    func forward(
        _ response: OriginResponse,
        as stored: StoredResponse,
        _ status: CacheStatus,
        notStored reason: NotStored
    ) -> Fetched {
        var status = status
        status.ttl = ReuseTerms(stored, by: policy, at: now()).ttl
        return Fetched(response.forwarded(status, notStored: reason))
    }

    /// Forwards a response while it is stored.
    ///
    /// - Parameter completed: The stored part that it completes.
    func deliver(
        _ response: OriginResponse,
        as stored: StoredResponse,
        _ status: CacheStatus,
        _ request: CacheRequest,
        completing completed: HTTPCacheEntry.ID? = nil
    ) async -> Fetched {
        guard var fill = await Fill(of: stored, completing: completed, to: request, in: self) else {
            await removeOutdated(by: response.head, request)
            return forward(response, as: stored, status, notStored: store.storable(stored) == nil ? .secret : .store)
        }
        let terms = ReuseTerms(stored, by: policy, at: now())
        var status = status
        status.ttl = terms.ttl
        status.stored = true
        if let data = response.body.whole {
            if !data.isEmpty { await fill.append(data) }
            status = status.notStored(await fill.finish(completely: true))
            let isShared = status.stored && terms.answersOthers
            return Fetched(response.forwarded(status), isShared ? .stored(status) : .notStored)
        }
        let size = response.body.size
        if let refusal = fill.refusal(of: size) {
            if refusal == .store { await removeOutdated(by: response.head, request) }
            await fill.discard()
            return forward(response, as: stored, status, notStored: refusal)
        }
        var fetched = Fetched(
            CacheResponse(head: response.head, body: .inFlight(size: size), status: status),
            terms.answersOthers ? .storing(stored) : .notStored
        )
        fetched.storing = (response.body.counted(size, of: request.request), fill)
        return fetched
    }

    /// RFC 9111, section 4.3.5; nil if no stored response is described by the response to HEAD.
    private func receiveHead(
        _ response: OriginResponse,
        _ status: CacheStatus,
        _ request: CacheRequest
    ) async -> Fetched? {
        var updated: StoredResponse?
        var refusal: NotStored?
        let updates = policy.receivedHead(
            response.head,
            to: request.request,
            at: response.times,
            about: request.responses
        )
        for update in updates {
            switch update {
            case .update(let old, let new):
                updated = updated ?? new
                if let id = request.id(of: old) { refusal = await replace(id, by: new, request) ?? refusal }
            case .remove(let old):
                if let id = request.id(of: old) { await store.remove([id]) }
            }
        }
        guard let updated else { return nil }
        let hit = policy.confirmedHit(of: updated, at: now())
        var status = status
        status.stored = true
        status.ttl = hit.ttl
        status = status.notStored(refusal)
        // A stored part of unknown complete length cannot answer HEAD.
        if case .part(_, nil) = updated.content { return Fetched(response.forwarded(status)) }
        guard let head = hit.response(to: request.request)?.head else { return Fetched(response.forwarded(status)) }
        // The client's own condition, which the origin ignored, may be fulfilled.
        if head.status != response.head.status { status.forwardStatus = response.head.status.code }
        return Fetched(.empty(head, status))
    }

    /// Removes the stored responses to the same request after a newer one that must not or could not be stored.
    func removeOutdated(by head: HTTPResponse, _ request: CacheRequest) async {
        let fields = request.request.headerFields
        guard request.request.method == .get, !CacheControl(fields).noStore,
            StatusCode.replacesOthers(head.status.code)
        else { return }
        // Wrong credentials say nothing about the response to other credentials, or to none.
        guard !policy.isShared || !fields.contains(.authorization) || ![401, 403].contains(head.status.code) else {
            return
        }
        await store.remove(request.entries.filter { $0.response.selection.matches(request.request) }.map(\.id))
    }
}
