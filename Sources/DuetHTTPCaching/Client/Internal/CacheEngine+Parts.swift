import DuetHTTP
import Foundation
import HTTPTypes

/// Parts of representations become whole (RFC 9111, section 3.4).
extension CacheEngine {
    /// Asks for what is missing of a stored part; who asked for the whole gets it as one body.
    func complete(_ completion: Completion, _ question: Question, _ token: LoadToken) async throws -> Loaded {
        let answer = try await exchange(completion.request, question.origin)
        var status = status(.partial)
        switch completion.receive(answer.head, at: answer.times, by: policy) {
        case .replaced:
            return await received(answer, status, question, token)
        case .failed:
            return Loaded(answer.passedOn(status, notStored: .originError))
        case .join(let combined, let range):
            status.forwardStatus = answer.head.status.code
            guard let id = question.id(of: completion.stored) else { break }
            let part = Part(stored: combined, id: id, range: range)
            if let loaded = try await join(answer, part, status, question, token) { return loaded }
        case .unusable: break
        }
        // Before anything else is asked for, which may have to wait until this is let go of.
        await answer.body.discard()
        return try await fetch(.forward(.partial), question, token)
    }

    /// A stored part, and which bytes come to it.
    private struct Part {
        let stored: StoredResponse
        let id: HTTPCacheEntry.ID
        let range: Range<Int64>
    }

    /// Nil when the bytes that came do not complete what is stored.
    private func join(
        _ answer: OriginAnswer,
        _ part: Part,
        _ status: CacheStatus,
        _ question: Question,
        _ token: LoadToken
    ) async throws -> Loaded? {
        let old = part.stored.content.range.length
        guard let whole = part.stored.joining(part.range), case .whole(let length) = whole.content,
            old + part.range.length == length,
            let stored = await store.body(of: part.id, count: old, to: question)
        else { return nil }
        let head: HTTPResponse
        switch policy.confirmedHit(of: whole, at: now()).answer(to: question.request) {
        case .whole(let whole):
            head = whole
        case .part, nil:
            // The newer fields made `If-Range` hold, so that a part is wanted after all, which the origin has at hand.
            return nil
        case .notModified(let head)?, .notSatisfiable(let head)?:
            return Loaded(CacheAnswer(head: head, content: .body(HTTPBody(Data())), status: status))
        }
        let isBehind = part.range.lowerBound > 0
        let new = answer.body.counted(part.range.length, of: question.request)
        let pieces = JoinedPieces(first: isBehind ? stored : new, second: isBehind ? new : stored)
        var body = HTTPBody(pieces, size: length) { new.trailers }
        if !question.origin.isStreamed {
            do {
                body = HTTPBody(try await body.collected(answering: question.request))
            } catch {
                guard error.wrongBodyLength != nil else { throw error }
                // Who answers so would do it again.
                await store.remove([part.id], of: question.key.uri)
                return nil
            }
        }
        let joined = OriginAnswer(head: head, body: body, times: answer.times)
        let refusal = policy.storing(whole.response, to: question.request, at: answer.times).refusal
        let recording =
            refusal == nil ? await Recording(of: whole, completing: part.id, to: question, token, in: self) : nil
        return await deliver(joined, to: question.request, as: whole, status, recording, notStored: refusal)
    }

    /// What becomes of a stored part when another one comes.
    enum Encounter {
        /// It goes, if the new one is for the same requests.
        case replace
        case join(Recording.Joining)
        /// It stays as it is, with the newer fields.
        case keep(HTTPCacheEntry.ID, StoredResponse)
        /// All of it is stored already.
        case leave
    }

    /// To join them, the stored one is written anew: the larger one stays alone when that is too much for what it adds, and when
    /// there is a gap between them.
    func encounter(_ answer: OriginAnswer, as part: StoredResponse, _ question: Question) -> Encounter {
        guard let new = ContentRange(answer.head)?.range else { return .replace }
        for entry in question.entries where entry.response.selection.matches(question.request) {
            if case .whole = entry.response.content, entry.response.holdsMore(than: new, of: part.fields.entityTag) {
                return .leave
            }
            guard case .part(let old, _) = entry.response.content,
                let combined = policy.combining(
                    entry.response,
                    with: answer.head,
                    to: question.request,
                    at: answer.times
                )
            else { continue }
            let copied = old.length - old.clamped(to: new).length
            if combined.joining(new) != nil, copied <= max(Recording.copyLimit, new.length) {
                return .join(Recording.Joining(combined: combined, id: entry.id, range: new))
            }
            return old.length >= new.length ? .keep(entry.id, combined) : .replace
        }
        return .replace
    }
}
