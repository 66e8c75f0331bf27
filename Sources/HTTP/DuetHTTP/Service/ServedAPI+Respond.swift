import Crypto
import Duet
import DuetContext
import Foundation
import HTTPTypes
import ServiceContextModule

extension ServedAPI {
    /// Responds to a request for a message, also if it fails.
    ///
    /// - Returns: The response, and for a live query the events that are its content.
    /// - Throws: ``UnreadableBody``, for which nobody awaits a response.
    package func respond(
        to request: some ServedRequest,
        for endpoint: ServedEndpoint,
        _ parameters: [String: String],
        query: String?
    ) async throws(UnreadableBody) -> (ServedResponse, EventStream?) {
        var outcome: SentResponse
        do {
            let deadline = try deadline(of: request.head)
            // Without either, nothing can cancel the handler but this task itself.
            if deadline == nil, request.connection == nil {
                outcome = try await self.outcome(of: request, for: endpoint, parameters, query: query, deadline: nil)
            } else {
                outcome = try await request.canceling(at: deadline, clock: options.clock) {
                    try await self.outcome(of: request, for: endpoint, parameters, query: query, deadline: deadline)
                }
            }
            if let note = outcome.response.note { request.log(HTTPServiceEvent(note)) }
        } catch let error as UnreadableBody {
            throw error
        } catch let refusal as ServedResponse {
            outcome = SentResponse(response: refusal)
        } catch is CancellationError where Task.isCancelled {
            outcome = SentResponse(response: .canceled)
        } catch {
            request.log(HTTPServiceEvent("A message failed", messageName: endpoint.messageName, error: error))
            outcome = SentResponse(response: ServedResponse(error, of: endpoint))
        }
        outcome.response.limitCaching(of: request.head, needsPrincipal: endpoint.callers?.needsPrincipal == true)
        cors?.add(to: &outcome.response.headers, for: request.head)
        return (outcome.response, outcome.events)
    }

    private func outcome(
        of request: some ServedRequest,
        for endpoint: ServedEndpoint,
        _ parameters: [String: String],
        query: String?,
        deadline: Deadline?
    ) async throws -> SentResponse {
        let (method, fields) = (request.head.method, request.head.headerFields)
        let key = try fields.idempotencyKey
        let principal = try await authenticator.principal(of: request)
        do { try endpoint.callers?.check(Caller(principal: principal)) } catch { throw ServedResponse(error) }
        if endpoint.isCommand, principal == nil, let pause = options.anonymousCommands?.use(by: request.address) {
            throw ServedResponse.quotaUsed(until: pause)
        }
        let isLive = endpoint.live != nil && fields.acceptsEvents
        if let produced = endpoint.produces, !isLive { try fields.checkAcceptance(of: produced) }
        if endpoint.isCommand { try fields.checkAbsenceOfPreconditions() }
        let body = try await body(of: request, for: endpoint)
        defer { if let body { request.release(body) } }
        let message = ReceivedMessage(
            parameters: parameters,
            query: query,
            contentType: fields[.contentType],
            body: body ?? Data()
        )
        let dispatcher = try await request.dispatcher()
        var (response, contents) = try await ServiceContext.with(
            principal: principal,
            deadline: deadline,
            idempotencyKey: key,
            of: endpoint.messageName
        ) { () -> (ServedResponse, QueryStates<Data>?) in
            let response = try await endpoint.handle(message, dispatcher)
            guard isLive, method != .head, response.status.kind == .successful else { return (response, nil) }
            return (response, try endpoint.live?.contents(message, dispatcher))
        }
        if let contents {
            let events = try streams.begin(
                response.eventData,
                response.headers.version,
                then: contents,
                for: principal.map { ServedClient($0) } ?? ServedClient(address: request.address ?? ""),
                lastEventID: fields[.lastEventID]
            )
            response = ServedResponse(status: .ok, headers: EventStream.headers)
            return SentResponse(response: response, events: events)
        }
        if endpoint.live != nil { response.headers[.vary] = "Accept" }
        if endpoint.produces == nil {
            if response.status.kind == .successful, let type = response.headers[.contentType] {
                try fields.checkAcceptance(of: [type])
            }
            // Browsers must not mistake stored bytes for a page or a script.
            response.headers[.xContentTypeOptions] = "nosniff"
        }
        guard endpoint.method == .get else { return SentResponse(response: response) }
        response.addEntityTag(for: request.head)
        return SentResponse(response: endpoint.produces == nil ? response.ranged(for: request.head) : response)
    }

    /// A response, and the events that are sent in place of its content.
    private struct SentResponse {
        var response: ServedResponse
        var events: EventStream?
    }

    /// The earlier of the deadlines that the client asks for and that the options set.
    private func deadline(of request: HTTPRequest) throws(ServedResponse) -> Deadline? {
        let limit = options.maximumDuration
        guard let duration = try request.headerFields.timeout ?? limit else { return nil }
        return Deadline(in: min(duration, limit ?? duration), clock: options.clock)
    }

    private func body(of request: some ServedRequest, for endpoint: ServedEndpoint) async throws -> Data? {
        if let consumed = endpoint.consumes, consumed.isEmpty { return nil }
        try request.head.headerFields.checkAbsenceOfContentCoding()
        do {
            return try await request.body(
                upTo: endpoint.consumes == nil ? options.maximumBytesBody : options.maximumJSONBody
            )
        } catch let error where !(error is ServedResponse || error is CancellationError) {
            throw UnreadableBody(underlying: error)
        }
    }
}

extension ServiceContext {
    /// Runs `operation` with exactly these values, and none that the server's own task may have.
    fileprivate static func with<Value>(
        principal: Principal?,
        deadline: Deadline?,
        idempotencyKey: String?,
        of message: String,
        operation: () async throws -> Value
    ) async throws -> Value {
        try await Caller(principal: principal, isServed: true).run {
            var context = current ?? .topLevel
            if deadline == nil, idempotencyKey == nil, context.deadline == nil, context.idempotencyKey == nil {
                return try await operation()
            }
            context.deadline = deadline
            context.receiveIdempotencyKey(idempotencyKey, of: message)
            return try await CommandKeyBoundary.open { try await withValue(context) { try await operation() } }
        }
    }
}

// MARK: Entity tags

extension ServedResponse {
    /// Adds an entity tag, and removes the content if the sender already has it (RFC 9110, section 15.4.5).
    fileprivate mutating func addEntityTag(for request: HTTPRequest) {
        guard status == .ok, let body else { return }
        let tag = entityTag.flatMap(EntityTag.init(strong:))?.text ?? "\"\(body.digest)\""
        headers[.eTag] = tag
        let known = request.headerFields[values: .ifNoneMatch]
        guard !known.isEmpty, EntityTag(tag)?.isListed(in: known) == true else { return }
        status = .notModified
        self.body = nil
        headers[.contentType] = nil
    }
}

extension Data {
    /// Identifies the content among all versions of one resource, for which half of a SHA-256 digest is enough.
    package var digest: String {
        unsafe SHA256.hash(data: self).withUnsafeBytes { unsafe FieldSyntax.hexadecimal($0.prefix(16)) }
    }
}
