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
            return Loaded(answer.passedOn(status))
        case .join(let combined, let range):
            status.forwardStatus = answer.head.status.code
            if let loaded = try await join(answer, combined, range, status, question, token) { return loaded }
            return try await fetch(.forward(.partial), question, token)
        case .unusable:
            return try await fetch(.forward(.partial), question, token)
        }
    }

    /// Nil when the bytes that came do not complete what is stored.
    private func join(
        _ answer: OriginAnswer,
        _ combined: StoredResponse,
        _ range: Range<Int64>,
        _ status: CacheStatus,
        _ question: Question,
        _ token: LoadToken
    ) async throws -> Loaded? {
        guard let whole = combined.joining(range), case .whole(let length) = whole.content,
            let id = question.responses.firstIndex(where: {
                $0.content == combined.content && $0.selection.matches(question.request)
            })
            .map({ question.entries[$0].id }),
            let old = await store.body(of: id, in: nil, for: question.request)
        else { return nil }
        let head = policy.confirmedHit(of: whole, at: now()).answer(to: question.request)
        guard case .whole(let head) = head else {
            return Loaded(CacheAnswer(head: head.head, content: .body(HTTPBody(Data())), status: status))
        }
        let isBehind = range.lowerBound > 0
        let pieces = JoinedPieces(
            first: isBehind ? old : answer.body.body,
            second: isBehind ? answer.body.body : old
        )
        var body = OriginBody.stream(HTTPBody(pieces, size: length))
        if !question.origin.isStreamed {
            body = .data(try await body.body.collect(upTo: .max, orThrow: CancellationError()))
        }
        let joined = OriginAnswer(head: head, body: body, times: answer.times)
        let mayStore = policy.storing(whole.response, to: question.request, at: answer.times).stored != nil
        let recording = mayStore ? await Recording(of: whole, to: question, token, in: self) : nil
        return await deliver(joined, as: whole, status, recording)
    }

    /// The stored part that an answer with another part belongs to.
    func joining(_ answer: OriginAnswer, _ question: Question) -> Recording.Joining? {
        guard let new = ContentRange(answer.head)?.range else { return nil }
        for entry in question.entries {
            guard case .part = entry.response.content, entry.response.selection.matches(question.request),
                let combined = policy.combining(
                    entry.response,
                    with: answer.head,
                    to: question.request,
                    at: answer.times
                ), combined.joining(new) != nil
            else { continue }
            return Recording.Joining(combined: combined, id: entry.id, start: new.lowerBound)
        }
        return nil
    }
}
