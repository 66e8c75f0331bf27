import DuetHTTP
import Foundation
import HTTPTypes

extension CacheEngine {
    /// Sends a request that is no question for something stored, and removes what it makes invalid (RFC 9111, section 4.4).
    func change(_ request: HTTPRequest, _ origin: Origin) async throws -> (response: HTTPResponse, body: HTTPBody) {
        let uri = CacheKey(request)?.uri
        let removals = invalidations.removals
        let token = invalidations.begin(HashedURI(uri ?? ""), since: removals)
        let answer: OriginAnswer
        do {
            answer = try await exchange(request, origin)
        } catch {
            invalidations.end(token)
            guard (error as? HTTPClientError)?.isUnsent != true else { throw error }
            // Nobody knows whether it was done.
            await invalidate(policy.invalidated(by: request, answered: HTTPResponse(status: .ok)))
            throw error
        }
        await invalidate(policy.invalidated(by: request, answered: answer.head), sparing: token)
        let status = status(.method)
        let decision = policy.storing(answer.head, to: request, at: answer.times)
        guard let uri, let stored = decision.stored, let partition = partition(of: request) else {
            invalidations.end(token)
            // That the method is none whose answers are stored is said already.
            return told(answer.passedOn(status, notStored: decision.refusal == .method ? nil : decision.refusal))
        }
        let key = HTTPCacheKey(partition: partition, uri: uri)
        let question = Question(
            request: request,
            key: key,
            entries: [],
            finishedLoads: nil,
            removals: removals,
            origin: origin
        )
        let recording = await Recording(of: stored, to: question, token, in: self)
        let loaded = await deliver(answer, to: request, as: stored, status, recording)
        let load = Load(of: request, limit: 0)
        guard let source = loaded.source, let place = load.join() else {
            invalidations.end(token)
            return told(loaded.outcome.answer)
        }
        load.resolve(.success(loaded.outcome))
        load.start { [invalidations] load in
            load.finish(await load.pump(source, into: loaded.recording))
            invalidations.end(token)
        }
        return told(loaded.outcome.answer, place)
    }

    /// Removes everything, also what is just being loaded.
    ///
    /// - Throws: What kept the store from removing it; it is not served any more all the same.
    func removeAll() async throws {
        try await remove(where: { _ in true }, from: { try await $0.removeAll() })
    }

    /// Removes what answers a request, whoever asked.
    func removeAll(answering request: HTTPRequest) async throws {
        guard let key = CacheKey(request) else { throw HTTPCacheError.noTarget(url: request.loggableURL) }
        await invalidate([key])
    }

    /// Removes what answers requests for the same path, and for all below it.
    func removeAll(under request: HTTPRequest) async throws {
        guard let key = CacheKey(request) else { throw HTTPCacheError.noTarget(url: request.loggableURL) }
        let path = String(key.uri.prefix { $0 != "?" })
        let prefixes = path.hasSuffix("/") ? [path] : [path + "?", path + "/"]
        let isUnder: @Sendable (String) -> Bool = { uri in uri == path || prefixes.contains(where: uri.hasPrefix) }
        try await remove(where: isUnder) { store in
            await store.removeAll(uri: path)
            for prefix in prefixes { await store.removeAll(prefix: prefix) }
        }
    }

    /// Removes what has such a URI, also what is just being loaded, in a task of its own as ``invalidate(_:sparing:)`` does.
    private func remove(
        where isMeant: @escaping @Sendable (_ uri: String) -> Bool,
        from removal: @escaping @Sendable (GuardedStore) async throws -> Void
    ) async throws {
        try await Task {
            loads.removeAll(where: isMeant)
            await invalidations.invalidateAll(where: isMeant)
            try await removal(store)
        }.value
    }

    /// Sees to it that nothing is served afterwards that was loaded before.
    ///
    /// In a task of its own: what is invalid has to go although the caller may have gone.
    private func invalidate(_ keys: [CacheKey], sparing token: LoadToken? = nil) async {
        guard !keys.isEmpty else { return }
        await Task {
            for key in keys {
                loads.removeAll { $0 == key.uri }
                await invalidations.invalidate(HashedURI(key.uri), sparing: token)
                await store.removeAll(uri: key.uri)
            }
        }.value
    }
}
