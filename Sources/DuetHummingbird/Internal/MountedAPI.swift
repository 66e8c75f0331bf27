import Duet
import DuetContext
import DuetHTTP
import HTTPTypes
import Hummingbird

/// Answers the requests for an API's messages, and lets all others pass.
struct MountedAPI<Context: RequestContext>: RouterMiddleware {
    typealias Dispatchers = @Sendable @concurrent (Request, Context) async throws -> any CommandQueryDispatcher

    let api: HTTPAPI
    /// What the paths begin with, without a slash at its end: empty, or like `/api`.
    let base: String
    let authenticator: (any TokenAuthenticator)?
    let options: MountOptions
    let cors: CORSFields?
    let dispatcher: Dispatchers

    init(
        _ api: HTTPAPI,
        _ base: String,
        _ authenticator: (any TokenAuthenticator)?,
        _ options: MountOptions,
        _ handlers: (any HandlerListing)?,
        _ dispatcher: @escaping Dispatchers
    ) throws(InvalidMount) {
        let path = base.split(separator: "/").map { "/\($0)" }.joined()
        let faults =
            api.served.compactMap { $0.mountingFault(hasAuthenticator: authenticator != nil, handlers) }
            + options.faults
            + (base.allSatisfy(\.isPathCharacter)
                ? [] : ["The base path “\(base)” must be percent-encoded, and no more than a path."])
        guard faults.isEmpty else { throw InvalidMount(faults: faults) }
        self.api = api
        self.base = path
        self.authenticator = authenticator
        self.options = options
        cors = options.cors.map { CORSFields($0) }
        self.dispatcher = dispatcher
    }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let target = RequestTarget(request, below: base) else { return try await next(request, context) }
        if let refusal = options.hosts?.refusal(of: request.head.authority) {
            return refusal.response(to: request.method)
        }
        let method = request.method == .head ? .get : request.method
        var response: Response
        switch api.route(method, target.path) {
        case .found(let endpoint, let parameters):
            context.coreContext.endpointPath.value = "\(base)/\(endpoint.endpoint.path)"
            response = try await serve(request, target, endpoint, parameters, context)
        case .methodNotAllowed(let allowed):
            return try await pass(request, context, Unmatched(allowed: allowed), next)
        case .notFound(let nearest):
            return try await pass(request, context, Unmatched(nearest: nearest.map { "\(base)/\($0)" }), next)
        }
        cors?.add(to: &response, for: request)
        return response
    }

    /// Lets a request pass that is none for a message, and explains why when nobody else answers it either.
    private func pass(
        _ request: Request,
        _ context: Context,
        _ unmatched: Unmatched,
        _ next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var explanation = unmatched
        var inner: Response?
        do {
            let answered = try await next(request, context)
            // What was answered although no route was found may be the same explanation by another API at this place.
            guard !unmatched.allowed.isEmpty, context.endpointPath == Unmatched.endpointPath,
                let merged = unmatched.merged(with: answered, to: request.method)
            else { return answered }
            (explanation, inner) = (merged, answered)
        } catch let error as HTTPError where error.status == .notFound && context.endpointPath == Unmatched.endpointPath
        {
        }
        var response = explanation.response(to: request)
        // Each API lets pages use its own methods only; the other one has said what it lets them do with the rest.
        if let inner, let asked = request.preflightMethod, !unmatched.allowed.contains(asked) {
            response.headers.addCORS(of: inner.headers)
        } else {
            cors?.add(to: &response, for: request, methods: unmatched.allowed)
        }
        return response
    }
}

extension ServedEndpoint {
    /// Why it cannot be mounted; nil when it can.
    fileprivate func mountingFault(hasAuthenticator: Bool, _ handlers: (any HandlerListing)?) -> String? {
        let name = endpoint.messageName
        guard !isForeign else { return "\(HTTPMessageError.notServed(message: name))" }
        guard handlers?.hasHandler(for: ObjectIdentifier(endpoint.message)) != false else {
            return "\(name) has no handler: give the dispatcher one, or leave the message out of the API."
        }
        return switch access {
        // Where there are principals, a rule that was forgotten or is of another type would let in strangers.
        case .unsaid where isCommand || hasAuthenticator:
            "\(name) has no authorize rule: give it one, an AuthorizationRule<\(endpoint.message)>, or say .open."
        case .principal where !hasAuthenticator:
            "\(name) asks for a principal, and there is no authenticator: give the mount one, or say .open."
        default: nil
        }
    }
}

extension MountOptions {
    fileprivate var faults: [String] {
        var faults: [String] = []
        if maximumJSONBody < 0 || maximumBytesBody < 0 {
            faults.append("The largest body cannot have fewer than 0 bytes.")
        }
        if let maximumDuration, maximumDuration <= .zero {
            faults.append("The maximum duration must be longer than nothing.")
        }
        return faults + (cors?.faults ?? [])
    }
}

extension Character {
    /// Whether it may stand in a path (RFC 3986, section 3.3).
    fileprivate var isPathCharacter: Bool {
        isASCII && (isLetter || isNumber || "-._~!$&'()*+,;=:@%/".contains(self))
    }
}
