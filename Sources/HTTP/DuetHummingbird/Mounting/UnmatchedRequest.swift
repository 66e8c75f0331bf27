import DuetHTTP
import HTTPTypes
import Hummingbird

/// A request that matches no message.
struct UnmatchedRequest {
    /// The route that Hummingbird reports for a request without a route.
    static let endpointPath = "NotFound"

    /// The methods of the path; empty for an unknown path.
    var allowed: [HTTPRequest.Method] = []

    /// Merges the response of another API to the same request; nil if that API handled it.
    func merged(with response: Response, to method: HTTPRequest.Method) -> UnmatchedRequest? {
        if response.status == .notFound { return self }
        guard response.status == .methodNotAllowed || (response.status == .noContent && method == .options) else {
            return nil
        }
        let others = FieldList.members(of: response.headers[.allow] ?? "").compactMap { HTTPRequest.Method($0.text) }
        return UnmatchedRequest(allowed: allowed + others.filter { $0 != .options && !allowed.contains($0) })
    }

    func response(to request: Request) -> Response {
        let path = request.uri.path.prefix(256)
        guard !allowed.isEmpty else {
            return Refusal(.notFound, "There is nothing at \(path).").response(to: request.method)
        }
        let names = (allowed + [.options]).map(\.rawValue).joined(separator: ", ")
        guard request.method != .options else {
            return Response(ServedResponse(status: .noContent, headers: [.allow: names]), to: .options)
        }
        let method = request.method.rawValue.prefix(64)
        return Refusal(.methodNotAllowed, "\(path) supports \(names), not \(method).", headers: [.allow: names])
            .response(to: request.method)
    }
}

/// Refuses any other method, known or unknown, for paths that only support `GET` and `HEAD`.
struct GetOnlyMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The paths, without placeholders.
    let paths: [String]

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method != .get, request.method != .head else { return try await next(request, context) }
        let path = request.uri.path.withoutLastSlash
        guard paths.contains(where: { $0 == path }) else { return try await next(request, context) }
        return UnmatchedRequest(allowed: [.get, .head]).response(to: request)
    }
}

extension String {
    /// The path without a trailing slash, which routes ignore.
    fileprivate var withoutLastSlash: Substring { utf8.last == UInt8(ascii: "/") ? dropLast() : self[...] }
}
