import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ServiceContextModule
import Synchronization

/// Responds to the requests for an API's messages, and forwards all others.
struct MountedAPI<Context: RequestContext>: RouterMiddleware {
    typealias Dispatchers = @Sendable @concurrent (Request, Context) async throws -> any Dispatcher

    let api: ServedAPI
    let bodies = SentBodies()
    let dispatcher: Dispatchers

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let route = api.route(request.head)
        if case (.found, _)? = route, OtherMount.current != nil {
            // A handler may send requests to other routers.
            return try await OtherMount.$current.withValue(nil) {
                try await handle(request, context: context, next: next)
            }
        }
        switch route {
        case (.found(let endpoint, let parameters), let query)?:
            context.coreContext.endpointPath.value = "\(api.base)/\(endpoint.path)"
            let served = MountedRequest(request: request, context: context, dispatchers: dispatcher)
            do throws(UnreadableBody) {
                let (response, events) = try await api.respond(to: served, for: endpoint, parameters, query: query)
                guard let events else { return Response(response, to: request.method, sharing: bodies) }
                return Response(response, served.presence, events)
            } catch {
                // The server closes the connection.
                throw error.underlying
            }
        case (.methodNotAllowed(let allowed), _)?:
            return try await pass(request, context, as: UnmatchedRequest(allowed: allowed), to: next)
        case (.notFound, _)?:
            return try await pass(request, context, as: UnmatchedRequest(), to: next)
        case nil:
            return try await next(request, context)
        }
    }

    /// Forwards a request that matches no message, and explains why if it matches no other route either.
    private func pass(
        _ request: Request,
        _ context: Context,
        as unmatched: UnmatchedRequest,
        to next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let (outer, inner) = (OtherMount.current, OtherMount())
        var explanation = unmatched
        var other: Response?
        do {
            let response = try await OtherMount.$current.withValue(inner) { try await next(request, context) }
            // Otherwise a route has handled the request.
            guard let found = inner.unmatched else { return response }
            outer?.note(explanation.merged(with: found))
            guard !unmatched.allowed.isEmpty else { return response }
            (explanation, other) = (explanation.merged(with: found), response)
        } catch let error as HTTPError
            where error.status == .notFound && context.endpointPath == UnmatchedRequest.endpointPath
        {
            outer?.note(explanation)
        }
        var response = Response(api.response(to: request.head, explanation), to: request.method)
        // Each API allows only its own methods. For other methods, the fields of the other API apply.
        if let other, let method = request.head.preflightMethod, !unmatched.allowed.contains(method) {
            for field in other.headers
            where field.name == .vary || field.name.canonicalName.hasPrefix("access-control-") {
                response.headers.append(field)
            }
        } else {
            api.cors?.add(to: &response.headers, for: request.head, methods: unmatched.allowed)
        }
        return response
    }
}

/// What another API at the same base knows about a request that matches no message of this one.
private final class OtherMount: Sendable {
    @TaskLocal static var current: OtherMount?

    private let found = Mutex<UnmatchedRequest?>(nil)

    /// Nil if another route has handled the request.
    var unmatched: UnmatchedRequest? { found.withLock(\.self) }

    func note(_ unmatched: UnmatchedRequest) { found.withLock { $0 = unmatched } }
}

/// A request for a message, as Hummingbird received it.
private struct MountedRequest<Context: RequestContext>: ServedRequest {
    let request: Request
    let context: Context
    let dispatchers: MountedAPI<Context>.Dispatchers
    let presence = ServiceContext.current?.clientPresence

    var head: HTTPRequest { request.head }
    var address: String? { presence?.address }
    var connection: (any ServedConnection)? { presence }

    func body(upTo limit: Int) async throws -> Data { try await request.wholeBody(upTo: limit, presence) }

    func release(_ body: Data) { presence?.bodyMemory.release(body.count) }

    func dispatcher() async throws -> any Dispatcher { try await dispatchers(request, context) }

    func log(_ event: HTTPServiceEvent) {
        guard let error = event.error else { return context.logger.warning("\(event.summary)") }
        var metadata: Logger.Metadata = ["error": "\("\(error)".safe())"]
        if let name = event.messageName { metadata["message"] = "\(name)" }
        context.logger.error("\(event.summary)", metadata: metadata)
    }
}

extension UnmatchedRequest {
    /// The route that Hummingbird reports for a request without a route.
    fileprivate static let endpointPath = "NotFound"

    /// Adds the methods of another API.
    fileprivate func merged(with other: UnmatchedRequest) -> UnmatchedRequest {
        UnmatchedRequest(allowed: allowed + other.allowed.filter { !allowed.contains($0) })
    }
}
