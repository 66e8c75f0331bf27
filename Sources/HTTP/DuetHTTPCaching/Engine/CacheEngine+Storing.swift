import DuetHTTP
import Foundation
import HTTPTypes

/// New responses: whether they are stored, and what they replace.
extension CacheEngine {
    /// Stores a response if the rules allow it, and otherwise passes it on as it arrives.
    ///
    /// - Parameter own: The fetch that other requests wait for, if they can.
    func receive(
        _ response: OriginResponse,
        _ status: CacheStatus,
        _ request: CacheRequest,
        for own: InFlightFetch?
    ) async throws -> Fetched {
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
        own?.begin(stored)
        return try await receive(response, as: stored, status, request)
    }

    /// Stores a response, unless its body is too large or it was invalidated meanwhile.
    func receive(
        _ response: OriginResponse,
        as stored: StoredResponse,
        _ status: CacheStatus,
        _ request: CacheRequest
    ) async throws -> Fetched {
        guard epochs.isCurrent(request.epoch) else {
            return forward(response, as: stored, status, notStored: .outdated)
        }
        switch try await response.body.read(upTo: configuration.maximumBodySize, for: request.request) {
        case .larger(let body):
            await removeOutdated(by: response.head, request)
            return forward(response.replacing(body: body), as: stored, status, notStored: .tooLarge)
        case .whole(let data, let trailers):
            let response = response.replacing(body: HTTPBody(data, trailers: trailers))
            let terms = ReuseTerms(stored, by: policy, at: now())
            var status = status
            status.ttl = terms.ttl
            status.stored = true
            status = status.notStored(await keep(stored.with(data), request))
            let isShared = status.stored && terms.answersOthers
            return Fetched(response.forwarded(status), isShared ? .stored(status) : .notStored)
        }
    }

    private func forward(
        _ response: OriginResponse,
        as stored: StoredResponse,
        _ status: CacheStatus,
        notStored reason: NotStored
    ) -> Fetched {
        var status = status
        status.ttl = ReuseTerms(stored, by: policy, at: now()).ttl
        return Fetched(response.forwarded(status, notStored: reason))
    }

    /// Stores a whole response in place of those that it makes obsolete, unless it was invalidated meanwhile.
    ///
    /// - Parameter old: The response with older fields.
    /// - Returns: Why it is not stored, or nil.
    func keep(_ stored: StoredResponse, insteadOf old: StoredResponse? = nil, _ request: CacheRequest) async
        -> NotStored?
    {
        guard stored.isWhole else { return .incomplete }
        guard let storable = store.storable(stored) else {
            await removeOutdated(by: stored.response, request)
            return .secret
        }
        guard epochs.beginCommit(request.epoch) else { return .outdated }
        defer { epochs.endCommit(request.epoch) }
        let others = await store.responses(for: request.key).filter { $0.id != old?.id }
        let outdated = others.filter(storable.replaces)
        guard !outdated.contains(where: storable.isOvertaken) else { return .outdated }
        let kept = others.filter { !storable.replaces($0) }.prefix(max(1, configuration.variantLimit) - 1)
        let replaced = Set(others.map(\.id)).subtracting(kept.map(\.id)).union(old.map { [$0.id] } ?? [])
        guard await store.insert(storable, for: request.key, replacing: Array(replaced)) else {
            await store.remove(Array(replaced), of: request.key)
            return .store
        }
        if old == nil { counters.countStored(Int64(stored.body.count)) }
        return nil
    }

    /// Removes the stored responses to the same request after a newer one that must not or could not be stored.
    private func removeOutdated(by head: HTTPResponse, _ request: CacheRequest) async {
        guard !CacheControl(request.request.headerFields).noStore, StatusCode.replacesOthers(head.status.code) else {
            return
        }
        let outdated = request.responses.filter { $0.selection.matches(request.request) }
        await store.remove(outdated.map(\.id), of: request.key)
    }
}
