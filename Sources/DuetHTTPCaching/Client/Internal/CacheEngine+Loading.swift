import DuetHTTP
import HTTPTypes

extension CacheEngine {
    /// Asks the origin, together with others who ask the same, or alone.
    func load(_ plan: LoadPlan, _ question: Question) async throws -> (response: HTTPResponse, body: HTTPBody) {
        let key = question.sharingKey
        if let key {
            // One of those who waited asks once more for all, so that an origin that fails is not asked by all at once.
            attempts: for isLastTime in [false, true] {
                let (place, new) = loads.join(key, for: question.request, limit: configuration.sharedBodyLimit)
                guard let place else { break }
                if let new {
                    if let scene = RequestScene(sharedBy: place) {
                        await scene.use { begin(new, plan, question, under: key) }
                    } else {
                        begin(new, plan, question, under: key)
                    }
                    return told(try await place.outcome().answer, place)
                }
                do {
                    switch try await join(place, plan, question) {
                    case .answered(let response, let body): return (response, body)
                    case .another: continue
                    case .alone: break attempts
                    }
                } catch {
                    // Only one's own cancellation ends the request, and no limits but one's own.
                    try Task.checkCancellation()
                    guard case .connectionFailed? = (error as? HTTPClientError)?.reason else { break }
                    guard isLastTime else { continue }
                    if case .validate(let validation) = plan, let stale = await standIn(validation.stored, question) {
                        return told(stale)
                    }
                    throw error
                }
            }
        }
        // Nobody joins this one, so that nothing of it is kept.
        let load = Load(of: question.request, limit: 0)
        guard let place = load.join() else { throw CancellationError() }
        begin(load, plan, question, under: key)
        return told(try await place.outcome().answer, place)
    }

    private func begin(_ load: Load, _ plan: LoadPlan, _ question: Question, under key: LoadTable.Key?) {
        load.start { [self] load in
            let token = invalidations.begin(question.key.hashedURI, since: question.removals)
            do {
                let found = key == nil ? nil : await foundMeanwhile(question)
                let loaded = if let found { found } else { try await fetch(plan, question, token) }
                await hand(out: loaded, by: load, under: key)
            } catch {
                if let key { loads.remove(key, load) }
                load.resolve(.failure(error))
            }
            invalidations.end(token)
        }
    }

    /// What another load has stored since it was looked for, though that one was not there any more to be joined.
    private func foundMeanwhile(_ question: Question) async -> Loaded? {
        guard let finished = question.finishedLoads, loads.finishedCount(question.key) != finished else { return nil }
        guard let (hit, question) = await hitByNow(question) else { return nil }
        return await stored(hit, question, status(of: hit)).map { Loaded($0, sharing: .inStore) }
    }

    /// Hands out head and body; while the body comes, others may join, and no longer when it is stored.
    private func hand(out loaded: Loaded, by load: Load, under key: LoadTable.Key?) async {
        if let key { loads.note(key, isShared: loaded.outcome.isShared) }
        guard let source = loaded.source else {
            if let key { loads.remove(key, load) }
            return load.resolve(.success(loaded.outcome))
        }
        if let key, !loaded.outcome.isShared { loads.remove(key, load) }
        if loaded.recording != nil, loaded.outcome.answer.status.stored { load.markRecorded() }
        load.resolve(.success(loaded.outcome))
        let end = await load.pump(source, into: loaded.recording)
        if let key { loads.remove(key, load) }
        load.finish(end)
    }

    /// What another's load means for a request.
    private enum Joined {
        case answered(HTTPResponse, HTTPBody)
        /// It has to be sent, and may share another load with those who wait for the same.
        case another
        case alone

        init(_ told: (response: HTTPResponse, body: HTTPBody)) { self = .answered(told.response, told.body) }
    }

    /// - Throws: What ended the load; `CancellationError`.
    private func join(_ place: LoadParticipant, _ plan: LoadPlan, _ question: Question) async throws -> Joined {
        let outcome = try await place.outcome()
        guard !place.isBehind else { return .another }
        var status = status(plan.reason)
        status.collapsed = true
        switch outcome.sharing {
        case .none:
            return .alone
        case .response(let response):
            guard case .hit(let hit) = policy.reuse(of: [response], for: question.request, at: now()),
                let head = hit.answer(to: question.request)?.head
            else {
                guard response.selection.matches(question.request) else { return .alone }
                // Nobody else may have it either.
                place.closeLoad()
                return .another
            }
            status.ttl = hit.ttl
            status.stored = outcome.answer.status.stored
            status.detail = outcome.answer.status.detail
            return Joined(told(CacheAnswer(head: head, content: outcome.answer.content, status: status), place))
        case .inStore:
            status.forwardStatus = outcome.answer.status.forwardStatus
            guard let (hit, question) = await hitByNow(question) else { return .another }
            if outcome.answer.status.hit { status = self.status(of: hit) }
            status.ttl = hit.ttl
            return await stored(hit, question, status).map { Joined(told($0)) } ?? .another
        case .failure:
            guard case .validate(let validation) = plan else { return .alone }
            let code = outcome.answer.status.forwardStatus
            guard var answer = await standIn(validation.stored, question, insteadOf: code) else { return .alone }
            answer.status.collapsed = true
            return Joined(told(answer))
        }
    }

    /// What is stored by now that answers without the origin, and the question with it.
    private func hitByNow(_ question: Question) async -> (Hit, Question)? {
        let question = await self.question(question.request, question.key, question.origin)
        guard case .hit(let hit) = policy.reuse(of: question.responses, for: question.request, at: now()),
            hit.staleness != .whileRevalidate
        else { return nil }
        return (hit, question)
    }

    /// Asks the origin and reads all of its answer; ends when nothing of that goes on any more.
    private func refresh(_ plan: LoadPlan, _ question: Question, under key: LoadTable.Key) async {
        await read(plan, question, under: key)?.ended()
    }

    /// A function of its own, so that the place in the load is left when it ends; nil when somebody is asking already.
    private func read(_ plan: LoadPlan, _ question: Question, under key: LoadTable.Key) async -> Load? {
        var (place, new) = loads.join(key, for: question.request, limit: configuration.sharedBodyLimit)
        if place == nil {
            let load = Load(of: question.request, limit: 0)
            (place, new) = (load.join(), load)
        }
        guard let place, let new else { return nil }
        do {
            begin(new, plan, question, under: key)
            let answer = try await place.outcome().answer
            // Nobody wants to read what is not to be stored, or not any more, or is stored already.
            guard answer.status.stored, case .pieces = answer.content else { return new }
            for try await _ in LoadPieces(place) where !new.isRecorded { break }
        } catch {
            // The next request finds it as stale as before, and tells what the origin says.
        }
        return new
    }

    /// Whether a stale response that answers is validated in the background; a request that wants nothing of the origin does
    /// not wait for it either.
    func revalidates(_ hit: Hit, _ question: Question) -> Bool {
        let validation = policy.validation(of: hit.stored, for: question.request)
        var request = validation.original
        if CacheControl(request.headerFields).onlyIfCached { return true }
        // In the background the whole would be asked for, of which nobody wants more than a part perhaps, or the head.
        if case .part = hit.stored.content { return false }
        guard question.request.method == .get, !question.request.headerFields.contains(.range) else { return false }
        request.headerFields[.cacheControl] = nil
        // How long somebody else was to wait.
        request.headerFields[.requestTimeout] = nil
        let own = question.asking(request)
        guard let key = own.sharingKey else { return false }
        let plan = LoadPlan.validate(policy.validation(of: hit.stored, for: request))
        let scene = RequestScene()
        return revalidations.offer(key) { [self] in
            await scene.use { await refresh(plan, own, under: key) }
        }
    }
}
