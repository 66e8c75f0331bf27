public import Duet
public import HTTPTypes

extension AuthorizationError: HTTPProblem {
    /// The problem's type.
    public static var problemType: String { "urn:duet:authorization-error" }

    /// 401 or 403.
    public var status: HTTPResponse.Status {
        switch self {
        case .unauthenticated: .unauthorized
        case .forbidden: .forbidden
        }
    }

    /// The challenge (RFC 6750, section 3).
    var challenge: String {
        switch self {
        case .unauthenticated: #"Bearer realm="api""#
        case .forbidden: #"Bearer error="insufficient_scope""#
        }
    }
}

extension ServedResponse {
    /// The response to a refused message, with the challenge of RFC 6750, section 3.
    init(_ error: AuthorizationError) {
        self = (try? ServedResponse(error, JSONCoder(HTTPCoding()))) ?? ServedResponse(status: error.status)
        headers[.wwwAuthenticate] = error.challenge
    }

    /// The response to missing or invalid credentials.
    package static var unauthorized: ServedResponse { ServedResponse(AuthorizationError.unauthenticated) }
}
