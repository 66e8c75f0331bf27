import DuetHTTP
import HTTPTypes
import Hummingbird

/// Why a request is for no message, with what could have been meant.
struct Unmatched {
    /// What Hummingbird calls the route of a request that has none.
    static let endpointPath = "NotFound"

    /// The methods that the path is known with; empty for an unknown path.
    private(set) var allowed: [HTTPRequest.Method] = []

    /// The known paths that look most like it.
    var nearest: [String] = []

    init(allowed: [HTTPRequest.Method] = [], nearest: [String] = []) {
        self.allowed = allowed
        self.nearest = nearest
    }

    /// Takes over what another API says of the same request; false when it says something else, or there is nothing to
    /// add to it.
    mutating func merge(_ response: Response, to method: HTTPRequest.Method) -> Bool {
        if response.status == .notFound { return !(allowed.isEmpty && nearest.isEmpty) }
        guard response.status == .methodNotAllowed || (response.status == .noContent && method == .options) else {
            return false
        }
        let others = (response.headers[.allow] ?? "").split(separator: ",").compactMap { name in
            HTTPRequest.Method(String(name.drop { $0 == " " }))
        }
        allowed += others.filter { $0 != .options && !allowed.contains($0) }
        return true
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
