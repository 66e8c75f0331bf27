import DuetHTTP
import HTTPTypes
import Hummingbird

/// Why a request is for no message, with what could have been meant.
struct Unmatched {
    /// What Hummingbird calls the route of a request that has none.
    static let endpointPath = "NotFound"

    /// The methods that the path is known with; empty for an unknown path.
    let allowed: [HTTPRequest.Method]

    /// The known paths that look most like it.
    let nearest: [String]

    init(allowed: [HTTPRequest.Method] = [], nearest: [String] = []) {
        self.allowed = allowed
        self.nearest = nearest
    }

    /// The same, with what another API says of the same request; nil when it says something else.
    func merged(with response: Response, to method: HTTPRequest.Method) -> Unmatched? {
        if response.status == .notFound { return self }
        guard response.status == .methodNotAllowed || (response.status == .noContent && method == .options) else {
            return nil
        }
        let others = (response.headers[.allow] ?? "").split(separator: ",").compactMap { name in
            HTTPRequest.Method(String(name.drop { $0 == " " }))
        }
        return Unmatched(allowed: allowed + others.filter { $0 != .options && !allowed.contains($0) })
    }

    func response(to request: Request) -> Response {
        let path = request.uri.path.prefix(256)
        guard !allowed.isEmpty else {
            let hint = nearest.isEmpty ? "" : " Did you mean \(nearest.joined(separator: " or "))?"
            return Refusal(.notFound, "There is nothing at \(path).\(hint)").response(to: request.method)
        }
        let names = (allowed + [.options]).map(\.rawValue).joined(separator: ", ")
        guard request.method != .options else {
            return Response(HTTPAnswer(status: .noContent, headers: [.allow: names]), to: .options)
        }
        let method = request.method.rawValue.prefix(64)
        return Refusal(.methodNotAllowed, "\(path) answers to \(names), not to \(method).", headers: [.allow: names])
            .response(to: request.method)
    }
}
