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
        let use = DataUse.ifUsed(endpoint.isCommand ? .exempt : .load(nil))
        do {
            let deadline = try deadline(of: request.head)
            // With a deadline, the connection must live to respond.
            if deadline == nil, request.connection?.beginMessage() != false {
                defer { request.connection?.endMessage() }
                outcome = try await self.outcome(of: request, for: endpoint, parameters, query, nil, use)
            } else {
                outcome = try await request.canceling(at: deadline, clock: options.clock) {
                    try await self.outcome(of: request, for: endpoint, parameters, query, deadline, use)
                }
            }
        } catch let error as UnreadableBody {
            throw error
        } catch let refusal as ServedResponse {
            outcome = (refusal, nil)
        } catch is CancellationError where Task.isCancelled {
            outcome = (.canceled, nil)
        } catch {
            request.log(HTTPServiceEvent("A message failed", messageName: endpoint.messageName, error: error))
            outcome = (ServedResponse(error, of: endpoint), nil)
        }
        if endpoint.isCommand {
            let mayBeRepeat = request.head.headerFields.contains(.idempotencyKey)
            groups.add(writes: use, mayBeRepeat: mayBeRepeat, to: &outcome.response)
        } else if outcome.response.status.code < 500 {
            groups.add(reads: use, to: &outcome.response)
        }
        credentials.challenge(in: &outcome.response)
        if let note = outcome.response.note { request.log(HTTPServiceEvent(note)) }
        if let note = outcome.response.format(as: options.refusals) { request.log(HTTPServiceEvent(note)) }
        let needsPrincipal = endpoint.callers?.needsPrincipal == true
        outcome.response.limitCaching(of: request.head, needsPrincipal: needsPrincipal, keys: credentials.fields)
        cors?.add(to: &outcome.response.headers, for: request.head)
        return outcome
    }

    private func outcome(
        of request: some ServedRequest,
        for endpoint: ServedEndpoint,
        _ parameters: [String: String],
        _ query: String?,
        _ deadline: Deadline?,
        _ use: DataUse?
    ) async throws -> SentResponse {
        let (method, fields) = (request.head.method, request.head.headerFields)
        let key = try fields.idempotencyKey
        let principal = try await credentials.principal(of: request)
        do { try endpoint.callers?.check(Caller(principal: principal)) } catch { throw ServedResponse(error) }
        if endpoint.isCommand, principal == nil, let pause = options.anonymousCommands?.use(by: request.address) {
            throw ServedResponse.quotaUsed(until: pause)
        }
        let isLive = endpoint.isReported != nil && fields.acceptsEvents
        let isMinimal = endpoint.answeringQuery != nil && fields.prefersMinimalContent
        if let produced = endpoint.produces, !isLive, !isMinimal { try fields.checkAcceptance(of: produced) }
        if endpoint.isCommand { try fields.checkAbsenceOfPreconditions() }
        let body = try await body(of: request, for: endpoint)
        defer { if let body { request.release(body) } }
        let parts = MessageParts(
            parameters: parameters,
            query: query,
            contentType: fields[.contentType],
            body: body ?? Data()
        )
        let outcome = try await endpoint.answer(
            to: parts,
            request.dispatcher(),
            in: context(of: endpoint, principal, deadline, key),
            content: ServedEndpoint.ContentRequest(
                isMinimal ? .minimal : isLive && method != .head ? .changes : .value,
                address: endpoint.isLinking ? address(of: request.head) : nil
            ),
            use
        )
        if let failure = outcome.failure {
            let name = endpoint.messageName
            request.log(HTTPServiceEvent("A command succeeded without its answer", messageName: name, error: failure))
        }
        var response = outcome.response
        groups.add(reads: outcome.answerUse, to: &response)
        if let (first, changes) = outcome.events {
            let events = try streams.begin(
                first,
                response.headers.version,
                then: changes,
                for: principal.map { ServedClient($0) } ?? ServedClient(address: request.address ?? ""),
                lastEventID: fields[.lastEventID]
            )
            response = ServedResponse(status: .ok, headers: EventStream.headers)
            return (response, events)
        }
        if endpoint.isReported != nil { response.headers[.vary] = "Accept" }
        if endpoint.produces == nil {
            if response.status.kind == .successful, let type = response.headers[.contentType] {
                do { try fields.checkAcceptance(of: [type]) } catch {
                    guard endpoint.isCommand else { throw error }
                    // The command has been carried out.
                    response.body = nil
                    response.headers[.contentType] = nil
                }
            }
            // Browsers must not mistake stored bytes for a page or a script.
            response.headers[.xContentTypeOptions] = "nosniff"
        }
        if isMinimal, response.status.kind == .successful { response.headers[.preferenceApplied] = "return=minimal" }
        if let path = response.location, leads(path, to: endpoint.answeringQuery) {
            response.addLocation("\(base)/\(path)")
        }
        guard endpoint.method == .get else { return (response, nil) }
        response.addEntityTag(for: request.head)
        return (endpoint.produces == nil ? response.ranged(for: request.head) : response, nil)
    }

    /// The address by which a client reaches the server.
    private func address(of request: HTTPRequest) throws(ServedResponse) -> String {
        if let address = options.address { return address.text }
        // The limit of a name in the DNS, with a port.
        guard let text = request.authority, text.utf8.count <= 260, Authority(text)?.isServerName == true else {
            throw ServedResponse(.badRequest, Authority.refusal)
        }
        return "\(request.scheme ?? "http")://\(text)"
    }

    /// The context of a message, with none of these values that the server's own task may have.
    private func context(
        of endpoint: ServedEndpoint,
        _ principal: Principal?,
        _ deadline: Deadline?,
        _ key: String?
    ) -> TaskContext {
        var context = TaskContext(service: .current, caller: Caller(principal: principal, isServed: true))
        if deadline != nil || key != nil || Deadline.current != nil || IdempotencyKey.asSent != nil {
            var service = context.service ?? .topLevel
            service.deadline = deadline
            service.receiveIdempotencyKey(key, of: endpoint.messageName)
            context.service = service
        }
        return context
    }

    /// A response, and the events that are sent in place of its content.
    private typealias SentResponse = (response: ServedResponse, events: EventStream?)

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

// MARK: Entity tags

extension ServedResponse {
    /// Adds an entity tag, and removes the content if the sender already has it (RFC 9110, section 15.4.5).
    fileprivate mutating func addEntityTag(for request: HTTPRequest) {
        guard status == .ok, let body else { return }
        let tag = contentTag ?? entityTag.flatMap(EntityTag.init(strong:))?.text ?? body.tag
        headers[.eTag] = tag
        let known = request.headerFields[values: .ifNoneMatch]
        guard !known.isEmpty, EntityTag(tag)?.isListed(in: known) == true else { return }
        status = .notModified
        self.body = nil
        headers[.contentType] = nil
    }
}

extension Data {
    /// The strong entity tag of the content.
    var tag: String { "\"\(digest())\"" }

    /// Identifies the content by the first bytes of its SHA-256 digest.
    ///
    /// Half of it is enough among the versions of one resource.
    package func digest(_ count: Int = 16) -> String {
        unsafe SHA256.hash(data: self).withUnsafeBytes { unsafe FieldSyntax.hexadecimal($0.prefix(count)) }
    }
}
