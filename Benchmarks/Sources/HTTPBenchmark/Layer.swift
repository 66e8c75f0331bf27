import Crypto
import Duet
import DuetCaching
import DuetDependencies
import DuetHTTP
import DuetHummingbird
import DuetTelemetry
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A server of one query, with all layers up to this one.
enum Layer: String, CaseIterable {
    /// Hummingbird's router and a route that encodes the value.
    case route
    /// The same route, with the checks and the entity tag of a mounted query.
    case work
    /// The query mounted, and dispatched to its handler.
    case mount
    /// The handler from a container.
    case container
    /// A scope for each request, with the request's logger.
    case scope
    /// Validation, and a middleware that does nothing.
    case middleware
    /// Metrics of the requests and the messages, which are counted.
    case metrics
    /// Spans of the requests and the messages, which are counted.
    case traces
    /// The value from a query cache.
    case cache
    /// The limits of `Application(router:limits:)`.
    case limits

    func server(_ onServerRunning: @escaping Servers.OnRunning) async throws -> any ApplicationProtocol {
        switch self {
        case .route: return Servers.byHand(onServerRunning)
        case .work: return Servers.application(Self.workingRouter(), onServerRunning)
        case .mount:
            let router = Router()
            try router.mount(Servers.messages, try StandardDispatcher { LoadSpeakersHandler() })
            return Servers.application(router, onServerRunning)
        case .container, .scope, .middleware, .metrics, .traces, .cache, .limits:
            let router = Router()
            if has(.traces) { router.add(middleware: TracingMiddleware()) }
            if has(.metrics) { router.add(middleware: MetricsMiddleware()) }
            let container = try container()
            if has(.scope) {
                try router.mount(Servers.messages) { _, _ in
                    guard let scope = RequestScope.current else { throw HTTPError(.internalServerError) }
                    return try await scope.dispatcher
                }
            } else {
                try router.mount(Servers.messages, try await container.dispatcher)
            }
            guard has(.scope) else { return Servers.application(router, onServerRunning) }
            let responder = ScopeResponder(container: container, base: router.buildResponder())
            guard has(.limits) else {
                return Application(
                    responder: responder,
                    configuration: Servers.configuration,
                    onServerRunning: onServerRunning
                )
            }
            return Application(
                responder: responder,
                limits: ServerLimits(),
                configuration: Servers.configuration,
                onServerRunning: onServerRunning,
                wrapping: { $0 }
            )
        }
    }

    func has(_ layer: Layer) -> Bool {
        Self.allCases.drop { $0 != layer }.contains(self)
    }

    private func container() throws -> Container {
        let builder = ContainerBuilder()
        builder.singleton { Logger(label: "benchmark") }
        builder.transient { LoadSpeakersHandler() }
        if has(.traces) { builder.middleware(MessageTracingMiddleware()) }
        if has(.metrics) { builder.middleware(MessageMeasuringMiddleware()) }
        if has(.middleware) { builder.middleware(ValidationMiddleware(), Unchanged()) }
        if has(.cache) {
            let cache = try QueryCache(in: .memory(limit: .entries(1_000))) {
                Cache(LoadSpeakers.self, .untilInvalidated, scope: .shared)
            }
            builder.middleware(cache)
        }
        builder.handlers { LoadSpeakersHandler.self }
        return try builder.build()
    }

    /// A route that does the same as a mounted query for a request without credentials.
    private static func workingRouter() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("v1/events/:event/speakers") { request, context in
            if let accepted = request.headers[.accept] {
                guard accepted == "*/*" || accepted.contains("application/json") else {
                    throw HTTPError(.notAcceptable)
                }
            }
            if let field = HTTPField.Name("Request-Timeout"), let text = request.headers[field] {
                guard Int(text) != nil else { throw HTTPError(.badRequest) }
            }
            let query = try Servers.query(request, context)
            let speakers = await LoadSpeakersHandler().handle(query)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
            let body = try encoder.encode(speakers)
            let digest = SHA256.hash(data: body).prefix(16).map { byte in
                let text = String(byte, radix: 16)
                return text.count == 1 ? "0\(text)" : text
            }
            let tag = "\"\(digest.joined())\""
            var headers: HTTPFields = [.contentType: "application/json", .eTag: tag]
            if request.headers[.ifNoneMatch] == tag {
                headers[.contentType] = nil
                return Response(status: .notModified, headers: headers)
            }
            return Response(
                status: .ok,
                headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
            )
        }
        return router
    }
}

/// Responds to each request in a scope, whose logger is the request's.
private struct ScopeResponder<Base: HTTPResponder>: HTTPResponder where Base.Context: RequestContext {
    let container: Container
    let base: Base

    func respond(to request: Request, context: Base.Context) async throws -> Response {
        let logger = context.logger
        return try await container.withScope(overriding: Override(Logger.self) { logger }) { scope in
            try await RequestScope.$current.withValue(scope) { try await base.respond(to: request, context: context) }
        }
    }
}

private enum RequestScope {
    /// The scope of the request that the current task handles.
    @TaskLocal static var current: Scope?
}

/// A middleware that forwards each message.
private struct Unchanged: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        try await next.dispatch(message)
    }
}
