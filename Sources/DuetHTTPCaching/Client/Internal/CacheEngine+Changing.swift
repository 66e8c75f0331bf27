import DuetHTTP
import Foundation
import HTTPTypes

extension CacheEngine {
    /// Sends a request that is no question for something stored, and removes what it makes invalid (RFC 9111, section 4.4).
    func change(_ request: HTTPRequest, _ origin: Origin) async throws -> (response: HTTPResponse, body: HTTPBody) {
        let uri = CacheKey(request)?.uri
        let token = invalidations.begin(uri ?? "")
        let answer: OriginAnswer
        do {
            answer = try await exchange(request, origin)
        } catch {
            invalidations.end(token)
            // Nobody knows whether it was done.
            await invalidate(policy.invalidated(by: request, answered: HTTPResponse(status: .ok)))
            throw error
        }
        await invalidate(policy.invalidated(by: request, answered: answer.head), sparing: token)
        let status = status(.method)
        guard let uri, let stored = policy.storing(answer.head, to: request, at: answer.times).stored,
            let partition = partition(of: request)
        else {
            invalidations.end(token)
            return told(answer.passedOn(status))
        }
        let key = HTTPCacheKey(partition: partition, uri: uri)
        let question = Question(request: request, key: key, entries: [], origin: origin)
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
        try await Task {
            loads.removeAll()
            await invalidations.invalidateAll()
            try await store.removeAll()
        }.value
    }

    /// Removes what answers a request, whoever asked.
    func removeAll(answering request: HTTPRequest) async {
        await invalidate([CacheKey(request)].compactMap(\.self))
    }

    /// Sees to it that nothing is served afterwards that was loaded before.
    ///
    /// In a task of its own: what is invalid has to go although the caller may have gone.
    private func invalidate(_ keys: [CacheKey], sparing token: LoadToken? = nil) async {
        guard !keys.isEmpty else { return }
        await Task {
            for key in keys {
                loads.removeAll(uri: key.uri)
                await invalidations.invalidate(key.uri, sparing: token)
                await store.removeAll(uri: key.uri)
            }
        }.value
    }
}
