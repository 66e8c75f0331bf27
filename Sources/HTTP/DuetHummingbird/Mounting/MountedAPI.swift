import Duet
import DuetContext
import DuetHTTP
import HTTPTypes
import Hummingbird

/// Responds to the requests for an API's messages, and forwards all others.
struct MountedAPI<Context: RequestContext>: RouterMiddleware {
    typealias Dispatchers = @Sendable @concurrent (Request, Context) async throws -> any Dispatcher

    let api: HTTPAPI
    /// The prefix of the paths, without a slash at its end: empty, or for example `/api`.
    let base: String
    let authenticator: (any TokenAuthenticator)?
    let options: MountOptions
    let cors: CORSFields?
    let streams: EventStreams
    let bodies = SentBodies()
    let dispatcher: Dispatchers

    init(
        _ messages: MessageAPI,
        _ base: String,
        _ settings: HTTPSettings,
        _ statuses: [SuccessStatus],
        _ authenticator: (any TokenAuthenticator)?,
        _ options: MountOptions,
        _ fixed: (any Dispatcher)?,
        _ dispatcher: @escaping Dispatchers
    ) throws(InvalidMessageAPI) {
        var faults = options.faults
        if !base.allSatisfy(\.isPathCharacter) {
            faults.append("The base path “\(base)” must be a percent-encoded path without a query.")
        }
        do { api = try HTTPAPI(messages, settings, statuses: statuses) } catch {
            throw InvalidMessageAPI(faults: error.faults + faults)
        }
        faults = api.endpoints.compactMap { $0.mountingFault(hasAuthenticator: authenticator != nil, fixed) } + faults
        guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
        self.base = base.split(separator: "/").map { "/\($0)" }.joined()
        self.authenticator = authenticator
        self.options = options
        cors = options.cors.map { CORSFields($0) }
        self.dispatcher = dispatcher
        streams = EventStreams(options.live, clock: options.clock)
    }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let target = RequestTarget(request, below: base) else { return try await next(request, context) }
        let method = request.method == .head ? .get : request.method
        var response: Response
        switch api.route(method, target.path) {
        case .found(let endpoint, let parameters):
            context.coreContext.endpointPath.value = "\(base)/\(endpoint.path)"
            response = try await serve(request, target, endpoint, parameters, context)
        case .methodNotAllowed(let allowed):
            return try await pass(request, context, UnmatchedRequest(allowed: allowed), next)
        case .notFound:
            return try await pass(request, context, UnmatchedRequest(), next)
        }
        cors?.add(to: &response, for: request)
        return response
    }

    /// Forwards a request that matches no message, and explains why if it matches no other route either.
    private func pass(
        _ request: Request,
        _ context: Context,
        _ unmatched: UnmatchedRequest,
        _ next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var explanation = unmatched
        var inner: Response?
        do {
            let response = try await next(request, context)
            // Without a route, this may be the explanation of another API at the same base.
            guard !unmatched.allowed.isEmpty, context.endpointPath == UnmatchedRequest.endpointPath,
                let merged = unmatched.merged(with: response, to: request.method)
            else { return response }
            (explanation, inner) = (merged, response)
        } catch let error as HTTPError
            where error.status == .notFound && context.endpointPath == UnmatchedRequest.endpointPath
        {
        }
        var response = explanation.response(to: request)
        // Each API allows only its own methods. For other methods, the fields of the other API apply.
        if let inner, let method = request.preflightMethod, !unmatched.allowed.contains(method) {
            response.headers.addCORS(of: inner.headers)
        } else {
            cors?.add(to: &response, for: request, methods: unmatched.allowed)
        }
        return response
    }
}

extension ServedEndpoint {
    /// The reason why the endpoint cannot be mounted, or nil if it can.
    fileprivate func mountingFault(hasAuthenticator: Bool, _ dispatcher: (any Dispatcher)?) -> String? {
        let name = messageName
        guard !isThirdParty else { return "\(HTTPMessageError.notServed(message: name))" }
        if let fault = (dispatcher as? any HandlerListing)?.fault(of: message) { return fault }
        if let live, let dispatcher, !live.isReported(dispatcher) {
            return """
                \(name) is live, but the dispatcher does not report its changes: put a cache in front of it, \
                dispatcher.caching(…) with Cache(\(message).self, …), or remove .live() from its route.
                """
        }
        // With an authenticator, a missing rule would let anyone in.
        if !hasRule, hasAuthenticator { return MessageAPI.Fault.missingRule(of: message).description }
        guard needsPrincipal, !hasAuthenticator else { return nil }
        return """
            \(name) requires a principal, but there is no authenticator: give the mount one, or set the rule to .open.
            """
    }
}

extension MountOptions {
    fileprivate var faults: [String] {
        var faults: [String] = []
        if maximumJSONBody < 0 || maximumBytesBody < 0 {
            faults.append("The maximum size of a body must not be negative.")
        }
        if let maximumDuration, maximumDuration <= .zero {
            faults.append("The maximum duration must be positive.")
        }
        return faults + live.faults + (cors?.faults ?? [])
    }
}

extension Character {
    /// Whether a path may contain the character (RFC 3986, section 3.3).
    fileprivate var isPathCharacter: Bool {
        isASCII && (isLetter || isNumber || "-._~!$&'()*+,;=:@%/".contains(self))
    }
}

/// The part of a request's target below the base path of an API.
struct RequestTarget {
    /// The percent-encoded path below the base, with the slash at its start.
    let path: Substring

    /// The percent-encoded text after the question mark, or nil without one.
    let query: String?

    /// - Returns: Nil if the path is not below the base.
    init?(_ request: Request, below base: String) {
        // The target may also be a complete URL (RFC 9112, section 3.2.2). Only that one is worth parsing.
        let target = request.head.path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        let (whole, query) =
            if let target {
                target.utf8.firstIndex(of: UInt8(ascii: "?")).map { mark in
                    (target[..<mark], String(target[target.utf8.index(after: mark)...]))
                } ?? (target[...], nil)
            } else {
                (request.uri.path[...], request.uri.query)
            }
        guard whole.utf8.starts(with: base.utf8) else { return nil }
        let path = whole[whole.utf8.index(whole.startIndex, offsetBy: base.utf8.count)...]
        guard path.utf8.first == UInt8(ascii: "/") || (path.isEmpty && !base.isEmpty) else { return nil }
        self.path = path
        self.query = query
    }
}
