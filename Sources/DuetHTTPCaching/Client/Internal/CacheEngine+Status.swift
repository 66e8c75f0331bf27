import DuetHTTP
import HTTPTypes

extension CacheEngine {
    func status(_ forward: ForwardReason? = nil) -> CacheStatus {
        CacheStatus(cache: configuration.name, forward: forward)
    }

    func status(of hit: Hit) -> CacheStatus {
        CacheStatus(cache: configuration.name, hit: true, ttl: hit.ttl)
    }

    /// The answer as it leaves the cache.
    func told(_ head: HTTPResponse, _ body: HTTPBody, _ status: CacheStatus) -> (
        response: HTTPResponse, body: HTTPBody
    ) {
        counts.count(status)
        var head = head
        status.append(to: &head.headerFields)
        return (head, body)
    }

    func told(_ answer: CacheAnswer, _ participant: LoadParticipant? = nil) -> (response: HTTPResponse, body: HTTPBody)
    {
        switch answer.content {
        case .body(let body):
            return told(answer.head, body, answer.status)
        case .pieces(let size):
            guard let participant else { preconditionFailure("pieces come from a load") }
            let body = HTTPBody(LoadPieces(participant), size: size, trailers: participant.trailers)
            return told(answer.head, body, answer.status)
        }
    }
}

extension CacheStatus {
    /// The same, saying that the answer was not stored and why; nothing of that for nil.
    func refused(_ reason: NotStored?) -> CacheStatus {
        guard let reason else { return self }
        var status = self
        status.stored = false
        status.detail = reason.rawValue
        return status
    }
}
