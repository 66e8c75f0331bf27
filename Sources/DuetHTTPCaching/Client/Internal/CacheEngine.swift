import DuetHTTP
import Foundation
import HTTPTypes

/// What a cache does with requests: it asks the rules, and does as they say.
final class CacheEngine: Sendable {
    let store: GuardedStore
    let policy: HTTPCachePolicy
    let configuration: CachingHTTPClient.Configuration
    let partitions: CachePartitions
    /// The fields whose values tell apart who asks.
    let secrets: Set<HTTPField.Name>
    /// How many bytes the store takes at most, if it says so.
    let largestResponse: Int64?
    let invalidations = Invalidations()
    let loads = LoadTable()
    let counts = CacheCounts()
    let revalidations: Revalidations
    let hiddenCredentials: HiddenCredentials?

    init(
        store: GuardedStore,
        largestResponse: Int64?,
        policy: HTTPCachePolicy,
        configuration: CachingHTTPClient.Configuration,
        hiddenCredentials: HiddenCredentials?
    ) {
        self.store = store
        self.largestResponse = largestResponse
        self.policy = policy
        self.configuration = configuration
        partitions = CachePartitions(of: policy, secrets: configuration.secrets, in: configuration.namespace)
        secrets = configuration.allSecrets
        self.hiddenCredentials = hiddenCredentials
        revalidations = Revalidations(limit: configuration.revalidationLimit)
    }

    func now() -> Date { configuration.now() }

    /// Answers a request.
    ///
    /// - Parameter readsStore: False when what is stored has just turned out to be of no use.
    func answer(_ request: HTTPRequest, from origin: Origin, readsStore: Bool = true) async throws -> (
        response: HTTPResponse, body: HTTPBody
    ) {
        guard request.method == .get || request.method == .head else {
            // A query that is sent as POST changes nothing, and its answer is one to its body, which is not in the key.
            guard HTTPRequestOptions.current.isSafe(request) else { return try await change(request, origin) }
            return try await pass(request, origin, .method)
        }
        guard origin.body == nil else { return try await pass(request, origin, .bypass, .requestBody) }
        guard let uri = CacheKey(request)?.uri else { return try await pass(request, origin, .bypass, .target) }
        guard let partition = partition(of: request) else {
            return try await pass(request, origin, .bypass, .hiddenCredentials)
        }
        let key = HTTPCacheKey(partition: partition, uri: uri)
        return try await answer(question(request, key, origin, readsStore: readsStore))
    }

    func question(
        _ request: HTTPRequest,
        _ key: HTTPCacheKey,
        _ origin: Origin,
        readsStore: Bool = true
    ) async -> Question {
        let finishedLoads = readsStore ? loads.finishedCount(key) : nil
        let removals = invalidations.removals
        return Question(
            request: request,
            key: key,
            entries: readsStore ? await store.entries(for: key) : [],
            finishedLoads: finishedLoads,
            removals: removals,
            origin: origin
        )
    }

    /// Sends a request that what is stored has nothing to do with.
    private func pass(
        _ request: HTTPRequest,
        _ origin: Origin,
        _ reason: ForwardReason,
        _ notStored: NotStored? = nil
    ) async throws -> (response: HTTPResponse, body: HTTPBody) {
        let (head, body) = try await origin.send(request)
        return told(head, body, status(reason).refused(notStored))
    }

    private func answer(_ question: Question) async throws -> (response: HTTPResponse, body: HTTPBody) {
        switch policy.reuse(of: question.responses, for: question.request, at: now()) {
        case .hit(let hit):
            if hit.staleness == .whileRevalidate, !revalidates(hit, question) {
                let validation = Validation(of: hit.stored, for: question.request, reason: .stale)
                return try await load(.validate(validation), question)
            }
            if let answer = await stored(hit, question, status(of: hit)) { return told(answer) }
            // It has gone since it was found.
            guard !CacheControl(question.request.headerFields).onlyIfCached else { return gatewayTimeout() }
            return try await load(.forward(.miss), question)
        case .validate(let validation):
            return try await load(.validate(validation), question)
        case .complete(let completion):
            return try await load(.complete(completion), question)
        case .forward(let reason):
            return try await load(.forward(reason), question)
        case .gatewayTimeout:
            return gatewayTimeout()
        }
    }

    /// RFC 9111, section 5.2.1.7.
    private func gatewayTimeout() -> (response: HTTPResponse, body: HTTPBody) {
        let head = HTTPResponse(status: .gatewayTimeout, headerFields: [.contentLength: "0"])
        var status = status()
        status.detail = CacheStatus.onlyIfCached
        return told(head, HTTPBody(Data()), status)
    }

    /// The answer that a stored response gives; nil when it is gone, or its head announces another body.
    func stored(
        _ hit: Hit,
        id: HTTPCacheEntry.ID? = nil,
        _ question: Question,
        _ status: CacheStatus
    ) async -> CacheAnswer? {
        guard let id = id ?? question.id(of: hit.stored), let answer = hit.answer(to: question.request) else {
            return nil
        }
        let content = hit.stored.content
        let range: Range<Int64>?
        switch answer {
        case .whole where question.request.method == .get:
            range = nil
        case .part(_, let part):
            let start = content.range.lowerBound
            range = part.lowerBound - start..<part.upperBound - start
        case .whole, .notModified, .notSatisfiable:
            await store.markUsed(id)
            return CacheAnswer(head: answer.head, content: .body(HTTPBody(Data())), status: status)
        }
        let count = (range ?? content.range).length
        guard answer.head.announces(count) else { return nil }
        guard let body = await store.body(of: id, in: range, count: count, to: question) else { return nil }
        await store.markUsed(id)
        return CacheAnswer(head: answer.head, content: .body(body), status: status)
    }

    /// A stored response in place of an origin that failed (RFC 5861, section 4).
    ///
    /// No hit, because the request went to the origin (RFC 9211, section 2.1).
    func standIn(
        _ stored: StoredResponse,
        _ question: Question,
        insteadOf code: Int? = nil
    ) async -> CacheAnswer? {
        // It may have been removed while the origin was asked, and an answer without a body would not notice.
        guard let hit = policy.reuseAfterFailure(of: stored, for: question.request, at: now()),
            let id = question.id(of: stored), await store.entries(for: question.key).contains(where: { $0.id == id })
        else { return nil }
        var status = status(.stale)
        status.forwardStatus = code
        status.ttl = hit.ttl
        status.detail = CacheStatus.originFailed
        return await self.stored(hit, question, status)
    }
}

extension HTTPResponse {
    /// Whether a body of that many bytes fits: with another length it would end within the next answer on its connection.
    fileprivate func announces(_ count: Int64) -> Bool {
        headerFields[values: .contentLength].allSatisfy { Int64(digits: $0.utf8) == count }
    }
}
