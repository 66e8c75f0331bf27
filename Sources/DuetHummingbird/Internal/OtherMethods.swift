import HTTPTypes
import Hummingbird

/// Explains to all other methods, those that nobody knows among them, that paths answer to `GET` and `HEAD` only.
struct OtherMethods<Context: RequestContext>: RouterMiddleware {
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
        return Unmatched(allowed: [.get, .head]).response(to: request)
    }
}

extension String {
    /// Routes do not tell a path from one with a slash at its end.
    fileprivate var withoutLastSlash: Substring { utf8.last == UInt8(ascii: "/") ? dropLast() : self[...] }
}
