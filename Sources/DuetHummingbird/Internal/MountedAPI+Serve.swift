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
    /// Answers a request for a message, whatever goes wrong.
    ///
    /// - Throws: Only when the connection is broken, and it is for the server to end it.
    func serve(
        _ request: Request,
        _ target: RequestTarget,
        _ endpoint: ServedEndpoint,
        _ parameters: [String: String],
        _ context: Context
    ) async throws -> Response {
        do {
            let deadline = try deadline(of: request)
            let answer = try await cancelling(at: deadline, clock: options.clock, logger: context.logger) {
                try await self.answer(request, target, endpoint, parameters, deadline, context)
            }
            return Response(answer, to: request.method)
        } catch let error as UnreadableBody {
            throw error.underlying
        } catch let refusal as Refusal {
            return refusal.response(to: request.method)
        } catch is CancellationError where Task.isCancelled {
            return Refusal.givenUp.response(to: request.method)
        } catch {
            context.logger.error(
                "A message failed",
                metadata: ["message": "\(endpoint.endpoint.messageName)", "error": "\(error)"]
            )
            return Refusal(.internalServerError, "The server could not do this; its log says why.")
                .response(to: request.method)
        }
    }

    private func answer(
        _ request: Request,
        _ target: RequestTarget,
        _ endpoint: ServedEndpoint,
        _ parameters: [String: String],
        _ deadline: Deadline?,
        _ context: Context
    ) async throws -> HTTPAnswer {
        let key = try request.headers.idempotencyKey
        let principal = try await authenticator.principal(of: request, access: endpoint.access, logger: context.logger)
        if let produced = endpoint.produces { try request.headers.checkAcceptance(of: produced) }
        if endpoint.isCommand { try request.headers.checkAbsenceOfPreconditions() }
        let body = try await body(of: request, for: endpoint)
        let message = ReceivedMessage(
            parameters: parameters,
            query: target.query,
            contentType: request.headers[.contentType],
            body: body
        )
        let dispatcher = try await dispatcher(request, context)
        var answer = try await ServiceContext.with(
            principal: principal,
            deadline: deadline,
            idempotencyKey: key,
            of: endpoint.endpoint.messageName
        ) {
            try await endpoint.handle(message, dispatcher)
        }
        if endpoint.produces == nil {
            if answer.status.kind == .successful, let type = answer.headers[.contentType] {
                try request.headers.checkAcceptance(of: [type])
            }
            // What somebody stored must not be taken for a page or a program.
            answer.headers[.xContentTypeOptions] = "nosniff"
        }
        return endpoint.endpoint.method == .get ? answer.tagged(for: request) : answer
    }

    /// The deadline that the client asks for and the options set, whichever is earlier.
    private func deadline(of request: Request) throws(Refusal) -> Deadline? {
        let asked = try request.headers.timeout
        guard let duration = [asked, options.maximumDuration].compactMap(\.self).min() else { return nil }
        return Deadline(in: duration, clock: options.clock)
    }

    private func body(of request: Request, for endpoint: ServedEndpoint) async throws -> Data {
        if let consumed = endpoint.consumes, consumed.isEmpty { return Data() }
        let limit = endpoint.consumes == nil ? options.maximumBytesBody : options.maximumJSONBody
        return try await request.body.whole(upTo: limit, announced: request.headers)
    }
}

extension HTTPFields {
    /// How long the sender waits, in whole milliseconds; nil when it does not say.
    fileprivate var timeout: Duration? {
        get throws(Refusal) {
            let values = self[values: .requestTimeout]
            guard let value = values.first else { return nil }
            guard values.count == 1, value.count <= 15, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let milliseconds = Int64(value)
            else { throw Refusal(.badRequest, "Request-Timeout must be a whole number of milliseconds.") }
            return .milliseconds(milliseconds)
        }
    }

    /// The key that marks sendings as one and the same; nil when there is none.
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

    /// - Throws: ``Refusal`` when there is a condition that a command would have to meet first: its sender must not believe
    ///   that it has been.
    fileprivate func checkAbsenceOfPreconditions() throws(Refusal) {
        let names: [HTTPField.Name] = [.ifMatch, .ifNoneMatch, .ifUnmodifiedSince]
        guard let name = names.first(where: contains) else { return }
        throw Refusal(.preconditionFailed, "\(name) cannot be checked for a command. Send it without.")
    }

    /// - Throws: ``Refusal`` when none of the types is among those that the sender can read.
    fileprivate func checkAcceptance(of types: [String]) throws(Refusal) {
        // Most senders take anything, or just what there is.
        guard !types.isEmpty, let field = self[.accept], field != "*/*", field != types[0] else { return }
        let accepted = AcceptedTypes(self[values: .accept])
        guard !types.contains(where: { accepted.include($0) }) else { return }
        throw Refusal(.notAcceptable, "This can be had as \(types.joined(separator: " or ")) only.")
    }
}

extension ServiceContext {
    /// Runs `operation` beside exactly this: what the server's own task carries is none of a client's affair.
    fileprivate static func with<Value>(
        principal: Principal?,
        deadline: Deadline?,
        idempotencyKey: String?,
        of message: String,
        operation: () async throws -> Value
    ) async throws -> Value {
        let outer = current
        var context = outer ?? .topLevel
        if principal == nil, deadline == nil, idempotencyKey == nil, !context.hasCompany {
            return try await operation()
        }
        context.principal = principal
        context.deadline = deadline
        context.receiveIdempotencyKey(idempotencyKey, of: message)
        return try await withValue(context) { try await operation() }
    }

    private var hasCompany: Bool { principal != nil || deadline != nil || idempotencyKey != nil }
}
