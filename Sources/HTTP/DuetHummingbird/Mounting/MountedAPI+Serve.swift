import Crypto
import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceContextModule

extension MountedAPI {
    /// Responds to a request for a message, also if it fails.
    ///
    /// - Throws: Only if the connection failed, which the server then closes.
    func serve(
        _ request: Request,
        _ target: RequestTarget,
        _ endpoint: ServedEndpoint,
        _ parameters: [String: String],
        _ context: Context
    ) async throws -> Response {
        do {
            let deadline = try deadline(of: request)
            let outcome = try await canceling(at: deadline, clock: options.clock, logger: context.logger) {
                try await self.outcome(of: request, target, endpoint, parameters, deadline, context)
            }
            if let note = outcome.response.note { context.logger.warning("\(note)") }
            return outcome.events?.response ?? Response(outcome.response, to: request.method, sharing: bodies)
        } catch let error as UnreadableBody {
            throw error.underlying
        } catch let refusal as Refusal {
            return refusal.response(to: request.method)
        } catch is CancellationError where Task.isCancelled {
            return Refusal.canceled.response(to: request.method)
        } catch {
            context.logger.error(
                "A message failed",
                metadata: ["message": "\(endpoint.messageName)", "error": "\("\(error)".safe())"]
            )
            return Refusal(error, of: endpoint).response(to: request.method)
        }
    }

    private func outcome(
        of request: Request,
        _ target: RequestTarget,
        _ endpoint: ServedEndpoint,
        _ parameters: [String: String],
        _ deadline: Deadline?,
        _ context: Context
    ) async throws -> Outcome {
        let key = try request.headers.idempotencyKey
        let principal = try await authenticator.principal(
            of: request,
            needsPrincipal: endpoint.needsPrincipal,
            logger: context.logger
        )
        let presence = ServiceContext.current?.clientPresence
        if endpoint.isCommand, principal == nil, let pause = options.anonymousCommands?.use(by: presence?.address) {
            throw Refusal.quotaUsed(until: pause)
        }
        let isLive = endpoint.live != nil && request.headers.acceptsEvents
        if let produced = endpoint.produces, !isLive { try request.headers.checkAcceptance(of: produced) }
        if endpoint.isCommand { try request.headers.checkAbsenceOfPreconditions() }
        let body = try await body(of: request, for: endpoint)
        defer { body?.release() }
        let message = ReceivedMessage(
            parameters: parameters,
            query: target.query,
            contentType: request.headers[.contentType],
            body: body?.data ?? Data()
        )
        let dispatcher = try await dispatcher(request, context)
        var (response, contents) = try await ServiceContext.with(
            principal: principal,
            deadline: deadline,
            idempotencyKey: key,
            of: endpoint.messageName
        ) { () -> (ServedResponse, QueryStates<Data>?) in
            let response = try await endpoint.handle(message, dispatcher)
            guard isLive, request.method != .head, response.status.kind == .successful else { return (response, nil) }
            return (response, try endpoint.live?.contents(message, dispatcher))
        }
        if let contents {
            let events = try streams.begin(
                response.eventData,
                then: contents,
                lastEventID: request.headers[.lastEventID],
                for: principal?.id,
                presence
            )
            return Outcome(response: response, events: events)
        }
        if endpoint.live != nil { response.headers[.vary] = "Accept" }
        if endpoint.produces == nil {
            if response.status.kind == .successful, let type = response.headers[.contentType] {
                try request.headers.checkAcceptance(of: [type])
            }
            // Browsers must not mistake stored bytes for a page or a script.
            response.headers[.xContentTypeOptions] = "nosniff"
        }
        return Outcome(response: endpoint.method == .get ? response.tagged(for: request) : response)
    }

    /// A response, and the events that are sent in place of its content.
    private struct Outcome {
        let response: ServedResponse
        var events: EventStream?
    }

    /// The earlier of the deadlines that the client asks for and that the options set.
    private func deadline(of request: Request) throws(Refusal) -> Deadline? {
        let timeout = try request.headers.timeout
        guard let duration = [timeout, options.maximumDuration].compactMap(\.self).min() else { return nil }
        return Deadline(in: duration, clock: options.clock)
    }

    /// The body of a request, or nil if the message has none.
    private func body(of request: Request, for endpoint: ServedEndpoint) async throws -> WholeBody? {
        if let consumed = endpoint.consumes, consumed.isEmpty { return nil }
        let limit = endpoint.consumes == nil ? options.maximumBytesBody : options.maximumJSONBody
        return try await WholeBody(of: request, upTo: limit)
    }
}

extension HTTPFields {
    /// How long the sender waits, in whole milliseconds, or nil for no limit.
    fileprivate var timeout: Duration? {
        get throws(Refusal) {
            let values = self[values: .requestTimeout]
            guard let value = values.first else { return nil }
            guard values.count == 1, value.count <= 15, value.utf8.allSatisfy(FieldSyntax.isDigit),
                let milliseconds = Int64(value)
            else { throw Refusal(.badRequest, "Request-Timeout must be a whole number of milliseconds.") }
            return .milliseconds(milliseconds)
        }
    }

    /// The key that marks repeated requests as the same one, or nil without one.
    fileprivate var idempotencyKey: String? {
        get throws(Refusal) {
            let values = self[values: .idempotencyKey]
            guard let value = values.first else { return nil }
            guard values.count == 1, (1...255).contains(value.utf8.count) else {
                throw Refusal(.badRequest, "Idempotency-Key must be given once, with 1 to 255 characters.")
            }
            return value
        }
    }

    /// - Throws: ``Refusal`` if the request has a precondition. Nothing checks it, and its sender must not believe that
    ///   it held.
    fileprivate func checkAbsenceOfPreconditions() throws(Refusal) {
        let names: [HTTPField.Name] = [.ifMatch, .ifNoneMatch, .ifUnmodifiedSince]
        guard let name = names.first(where: contains) else { return }
        throw Refusal(.preconditionFailed, "\(name) cannot be checked for a command. Send it without.")
    }

    /// - Throws: ``Refusal`` if the sender accepts none of the types.
    fileprivate func checkAcceptance(of types: [String]) throws(Refusal) {
        // Most senders accept anything, or exactly this type.
        guard !types.isEmpty, let field = self[.accept], field != "*/*", field != types[0] else { return }
        let accepted = AcceptedTypes(self[values: .accept])
        guard !types.contains(where: { accepted.include($0) }) else { return }
        throw Refusal(.notAcceptable, "This is only available as \(types.joined(separator: " or ")).")
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
        try await withPrincipal(principal) {
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

// MARK: Content negotiation

/// The media types that a client accepts (RFC 9110, section 12.5.1).
struct AcceptedTypes {
    private struct Range {
        let type: Substring
        let subtype: Substring
        let isExcluded: Bool

        var specificity: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 1) }
    }

    /// The valid ranges; invalid ones are ignored.
    private let ranges: [Range]

    init(_ fields: [String]) {
        ranges = FieldList.weighted(fields).compactMap { value, weight in
            let parts = value.lowercased().split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
            return Range(type: parts[0], subtype: parts[1], isExcluded: weight == 0)
        }
    }

    /// Whether the client accepts content of a media type, by the most specific range that matches it.
    func include(_ mediaType: String) -> Bool {
        guard !ranges.isEmpty, let essence = MediaType(mediaType)?.essence.split(separator: "/") else { return true }
        let matches = ranges.filter { range in
            (range.type == "*" && range.subtype == "*")
                || (range.type == essence[0] && (range.subtype == "*" || range.subtype == essence[1]))
        }
        let specificity = matches.map(\.specificity).max()
        return matches.contains { $0.specificity == specificity && !$0.isExcluded }
    }
}

// MARK: Entity tags

extension ServedResponse {
    /// Adds an entity tag, and removes the content if the sender already has it (RFC 9110, section 15.4.5).
    func tagged(for request: Request) -> ServedResponse {
        guard status == .ok, let body, let tag = EntityTag(of: self, content: body) else { return self }
        var response = self
        response.headers[.eTag] = tag.text
        guard tag.isListed(in: request.headers[values: .ifNoneMatch]) else { return response }
        response.status = .notModified
        response.body = nil
        response.headers[.contentType] = nil
        return response
    }
}

extension EntityTag {
    /// The tag that the value of a response has, or a strong one that is computed from the content.
    init?(of response: ServedResponse, content: Data) {
        if let own = response.entityTag.flatMap(EntityTag.init(strong:)) {
            self = own
            return
        }
        self.init(strong: content.digest)
    }
}

extension Data {
    /// Identifies the content among all versions of one resource, for which half of a SHA-256 digest is enough.
    var digest: String { FieldSyntax.hexadecimal(Array(Array(SHA256.hash(data: self)).prefix(16))) }
}
