package import HTTPTypes

/// A request that matches no message.
package struct UnmatchedRequest: Sendable {
    /// The methods of the path; empty for an unknown path.
    package var allowed: [HTTPRequest.Method]

    package init(allowed: [HTTPRequest.Method] = []) {
        self.allowed = allowed
    }

    /// The response that explains why.
    package func response(to request: HTTPRequest) -> ServedResponse {
        var response = explanation(of: request)
        response.limitCaching(of: request)
        return response
    }

    private func explanation(of request: HTTPRequest) -> ServedResponse {
        let path = RequestTarget(request).path.prefix(256)
        guard !allowed.isEmpty else { return ServedResponse(.notFound, "There is nothing at \(path).") }
        let names = (allowed + [.options]).map(\.rawValue).joined(separator: ", ")
        guard request.method != .options else { return ServedResponse(status: .noContent, headers: [.allow: names]) }
        let method = request.method.rawValue.prefix(64)
        return ServedResponse(.methodNotAllowed, "\(path) supports \(names), not \(method).", headers: [.allow: names])
    }
}
