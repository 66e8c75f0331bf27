import DuetHTTP
import Foundation
import HTTPTypes

extension CacheEngine {
    /// Asks the origin, and does with its answer what the rules say.
    func fetch(_ plan: LoadPlan, _ question: Question, _ token: LoadToken) async throws -> Loaded {
        switch plan {
        case .forward(let reason):
            let answer = try await exchange(question.request, question.origin)
            return await received(answer, status(reason), question, token)
        case .validate(let validation):
            return try await validate(validation, question, token)
        case .complete(let completion):
            return try await complete(completion, question, token)
        }
    }

    func exchange(_ request: HTTPRequest, _ origin: Origin) async throws -> OriginAnswer {
        let requested = now()
        let (head, body) = try await origin.send(request)
        return OriginAnswer(head: head, body: body, times: ExchangeTimes(requested: requested, received: now()))
    }

    private func validate(_ validation: Validation, _ question: Question, _ token: LoadToken) async throws -> Loaded {
        let answer: OriginAnswer
        do {
            answer = try await exchange(validation.request, question.origin)
        } catch {
            guard error.isUnreachableOrigin, let stale = await standIn(validation.stored, question) else {
                throw error
            }
            return Loaded(stale, sharing: .failure)
        }
        var status = status(validation.reason)
        switch validation.receive(answer.head, at: answer.times, by: policy) {
        case .freshened(let freshened):
            status.forwardStatus = answer.head.status.code
            // Before anything else is asked for, which may have to wait until this is let go of.
            await answer.body.discard()
            await freshenOthers(than: freshened.old, by: answer, question)
            if let loaded = await confirmed(freshened, status, question) { return loaded }
            return try await fetch(.forward(.miss), question, token)
        case .unmatched:
            // To the client's own condition it is an answer only where that is what was sent.
            guard validation.request == validation.original,
                Validation.conditions.contains(where: validation.original.headerFields.contains)
            else {
                await answer.body.discard()
                return try await fetch(.forward(validation.reason), question, token)
            }
            return Loaded(answer.passedOn(status, notStored: .status))
        case .failed:
            if let stale = await standIn(validation.stored, question, insteadOf: answer.head.status.code) {
                return Loaded(stale, sharing: .failure)
            }
            return Loaded(answer.passedOn(status, notStored: .originError), sharing: .failure)
        case .replaced:
            return await received(answer, status, question, token)
        }
    }

    /// A strong tag stands for one representation: the others that could have answered, and have it, take the newer fields, too
    /// (RFC 9111, section 4.3.4).
    private func freshenOthers(than confirmed: StoredResponse, by answer: OriginAnswer, _ question: Question) async {
        guard question.entries.count > 1,
            let tag = CachingFields(answer.head.headerFields, received: answer.times.received).entityTag
        else { return }
        for entry in question.entries where entry.response !== confirmed {
            let old = entry.response
            guard old.fields.entityTag?.matchesStrongly(tag) == true, old.selection.matches(question.request) else {
                continue
            }
            let new = policy.freshened(old, by: answer.head, at: answer.times, selectedBy: question.request)
            await replace(entry.id, by: new?.storable, question)
        }
    }

    /// Nil when what was confirmed is gone, or with its newer fields does not hold what is asked for.
    private func confirmed(_ freshened: Freshened, _ status: CacheStatus, _ question: Question) async -> Loaded? {
        guard let id = question.id(of: freshened.old) else { return nil }
        let hit = policy.confirmedHit(of: freshened.new, at: now())
        let new = freshened.storable.flatMap(store.storable)
        var status = status
        status.ttl = hit.ttl
        status.stored = new != nil
        if new == nil { status = status.refused(freshened.refusal ?? .secret) }
        guard var answer = await stored(hit, id: id, question, status) else { return nil }
        if let new {
            if await !store.update(id, to: new) { answer.status = answer.status.refused(.store) }
            let answersOthers = ReuseTerms(new, by: policy, at: now()).answersOthers
            return Loaded(answer, sharing: answersOthers ? .inStore : .none)
        }
        // Its body can be read all the same.
        await store.remove([id], of: question.key.uri)
        return Loaded(answer)
    }

    /// Why the new one is not stored in its place, if it is not.
    @discardableResult
    private func replace(_ id: HTTPCacheEntry.ID, by new: StoredResponse?, _ question: Question) async -> NotStored? {
        guard let new = new.flatMap(store.storable) else {
            await store.remove([id], of: question.key.uri)
            return .secret
        }
        return await store.update(id, to: new) ? nil : .store
    }

    /// An answer that is no word about what is stored, but something new.
    func received(
        _ answer: OriginAnswer,
        _ status: CacheStatus,
        _ question: Question,
        _ token: LoadToken
    ) async -> Loaded {
        let isStored = !CacheControl(question.request.headerFields).noStore
        if question.request.method == .head, isStored, let loaded = await receivedHead(answer, status, question) {
            return loaded
        }
        let stored: StoredResponse
        switch policy.storing(answer.head, to: question.request, at: answer.times) {
        case .store(let response): stored = response
        case .refuse(let reason):
            await removeOutdated(by: answer.head, question)
            return Loaded(answer.passedOn(status, notStored: reason))
        }
        if StatusCode.isFailure(answer.head.status.code), question.hasAnswer {
            // As after a validation that failed.
            return await deliver(answer, to: question.request, as: stored, status, nil, notStored: .originError)
        }
        var recording: Recording?
        var refusal: NotStored?
        switch encounter(answer, as: stored, question) {
        case .replace where answer.head.status == .partialContent && question.request.headerFields.contains(.ifRange):
            // It need not repeat the fields that its client has (RFC 9110, section 15.3.7), and they are not here.
            refusal = .range
        case .replace:
            recording = await Recording(of: stored, to: question, token, in: self)
            if store.storable(stored) == nil { await removeOutdated(by: answer.head, question) }
        case .join(let joining):
            recording = await Recording(of: stored, joining: joining, to: question, token, in: self)
        case .keep(let id, let combined):
            await replace(id, by: combined, question)
            refusal = .range
        case .leave:
            refusal = .range
        }
        return await deliver(answer, to: question.request, as: stored, status, recording, notStored: refusal)
    }

    /// Hands an answer on while it is stored.
    ///
    /// - Parameter refusal: Why there is nothing that stores it, if it is not the store.
    func deliver(
        _ answer: OriginAnswer,
        to request: HTTPRequest,
        as stored: StoredResponse,
        _ status: CacheStatus,
        _ recording: Recording?,
        notStored refusal: NotStored? = nil
    ) async -> Loaded {
        var status = status
        status.stored = recording != nil
        let terms = ReuseTerms(stored, by: policy, at: now())
        status.ttl = terms.ttl
        if recording == nil { status = status.refused(refusal ?? (store.storable(stored) == nil ? .secret : .store)) }
        let body = answer.body
        if let data = body.whole {
            if var recording {
                if !data.isEmpty { await recording.append(data) }
                if case .refused(let reason) = await recording.finish(completely: true) {
                    status = status.refused(reason)
                }
            }
            return Loaded(answer.passedOn(status), sharing: terms.answersOthers ? .response(stored) : .none)
        }
        if let recording, let size = body.size { status = status.refused(recording.refusal(of: size)) }
        // Who is left behind by a longer one reads on from the store, where it has to be.
        let isForAll =
            terms.answersOthers && (status.stored || body.size ?? 0 <= configuration.sharedBodyLimit)
        let content = CacheAnswer.Content.pieces(size: body.size)
        var loaded = Loaded(
            CacheAnswer(head: answer.head, content: content, status: status),
            sharing: isForAll ? .response(stored) : .none
        )
        loaded.source = body.counted(body.size, of: request)
        loaded.recording = recording
        return loaded
    }

    /// RFC 9111, section 4.3.5; nil when nothing is stored that the answer to HEAD is about.
    private func receivedHead(_ answer: OriginAnswer, _ status: CacheStatus, _ question: Question) async -> Loaded? {
        var updated: StoredResponse?
        var refusal: NotStored?
        let updates = policy.receivedHead(
            answer.head,
            to: question.request,
            at: answer.times,
            about: question.responses
        )
        for update in updates {
            switch update {
            case .update(let old, let new):
                updated = updated ?? new
                if let id = question.id(of: old) { refusal = await replace(id, by: new, question) ?? refusal }
            case .remove(let old):
                if let id = question.id(of: old) { await replace(id, by: nil, question) }
            }
        }
        guard let updated else { return nil }
        let hit = policy.confirmedHit(of: updated, at: now())
        var status = status
        status.stored = true
        status.ttl = hit.ttl
        status = status.refused(refusal)
        // Of a part of unknown length the head is not that of the whole.
        if case .part(_, nil) = updated.content { return Loaded(answer.passedOn(status)) }
        guard let head = hit.answer(to: question.request)?.head else { return Loaded(answer.passedOn(status)) }
        // To the client's own condition, which the origin did not obey.
        if head.status != answer.head.status { status.forwardStatus = answer.head.status.code }
        return Loaded(CacheAnswer(head: head, content: .body(HTTPBody(Data())), status: status))
    }

    /// An answer about the resource that may not be stored puts an end to what is stored for the same request.
    private func removeOutdated(by head: HTTPResponse, _ question: Question) async {
        guard question.request.method == .get, !CacheControl(question.request.headerFields).noStore,
            StatusCode.replacesOthers(head.status.code)
        else { return }
        // Wrong credentials say nothing to those who have others, or need none.
        guard
            !policy.isShared || !question.request.headerFields.contains(.authorization)
                || ![401, 403].contains(head.status.code)
        else { return }
        let ids = question.entries.filter { $0.response.selection.matches(question.request) }.map(\.id)
        await store.remove(ids, of: question.key.uri)
    }
}

extension Error {
    /// Whether the origin gave no answer, for which something stored may stand in.
    fileprivate var isUnreachableOrigin: Bool {
        switch (self as? HTTPClientError)?.reason {
        case .connectionFailed, .deadlineExceeded: true
        default: false
        }
    }
}
