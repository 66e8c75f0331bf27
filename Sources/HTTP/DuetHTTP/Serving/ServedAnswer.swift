import Duet
import DuetContext
import HTTPTypes

/// The answer of a command as the content of its response.
struct ServedAnswer<C: HTTPCommand & AnsweredCommand>: Sendable {
    /// Faults of the list and the declarations; empty if the query can be dispatched.
    let faults: [String]

    private let receiver: MessageReceiver<C.Answer>
    private let payloads: PayloadCoder<C.Answer.Payload>
    private let path: (@Sendable (C.Answer) -> String?)?

    init(_ entry: MessageAPI.Entry, _ settings: HTTPSettings) {
        let isMounted = entry.isCarried(.http)
        let query = C.Answer.self as? any HTTPQuery.Type
        receiver = MessageReceiver(entry)
        payloads = PayloadCoder(of: C.Answer.self, settings)
        path = isMounted ? query.flatMap { Self.path(of: $0, settings) } : nil
        faults = isMounted ? [] : query?.payloadFaults(settings) ?? []
    }

    /// The media types of the content; nil for any type.
    var mediaTypes: [String]? { payloads.mediaTypes }

    /// Runs a command, and returns what gives its response the content when the admission of the command has ended.
    func noted(
        _ command: C,
        at address: String?,
        by dispatch: () async throws -> CacheVersion?
    ) async throws -> (CacheVersion?, ServedEndpoint.Completion) {
        let answer = CommandAnswer<C>(outer: nil)
        var version: CacheVersion?
        try await answer.noted { version = try await dispatch() }
        let reached = version
        return (
            version,
            { [self] response, dispatcher, context, hasContent in
                let query = try answer.query(of: command)
                response.location = path?(query)
                guard hasContent else { return nil }
                let offer = AnswerOffer(answer.takeResponse(to: query), of: query)
                let use = DataUse.ifUsed(.load(nil))
                let (content, version) = try await load(query, dispatcher, in: context, offer, at: address, use)
                // Without the change of the command, it would be taken for the state after it.
                guard version?.isOlder(than: reached) != true else { throw OutdatedAnswer() }
                response.body = content.body
                response.headers[.contentType] = content.headers[.contentType]
                let isComparable = reached.map { version?.includes($0) == true } ?? true
                response.headers.version = isComparable ? version : nil
                return use
            }
        )
    }

    /// Dispatches the query by its own rule.
    private func load(
        _ query: C.Answer,
        _ dispatcher: any Dispatcher,
        in context: TaskContext,
        _ offer: AnswerOffer,
        at address: String?,
        _ use: DataUse?
    ) async throws -> (ServedResponse, CacheVersion?) {
        var loaded: (ServedResponse, CacheVersion?)?
        try await receiver.receive(in: context, declared: []) {
            query
        } handle: { query in
            let (value, version) = try await DataUse.run(use) {
                try await offer.run { try await dispatcher.versioned(query) }
            }
            let payload = try C.Answer.payload(from: value, answering: query, linkedTo: address)
            loaded = (try payloads.content(with: payload), version)
        }
        guard let loaded else { throw CancellationError() }
        return loaded
    }

    private static func path<Q: HTTPQuery>(of query: Q.Type, _ settings: HTTPSettings) -> (
        @Sendable (C.Answer) -> String?
    )? {
        guard Q.route.method == .get else { return nil }
        let coder = MessageCoder<Q>(settings)
        return { query in (query as? Q).flatMap { try? coder.encode($0).path } }
    }
}

extension HTTPQuery {
    fileprivate static func payloadFaults(_ settings: HTTPSettings) -> [String] {
        PayloadCoder<Payload>.faults(of: Self.self, settings)
    }
}

/// A cache has returned a value that is older than the command.
private struct OutdatedAnswer: Error, CustomStringConvertible {
    var description: String { "Its value could not be loaded after the command." }
}
