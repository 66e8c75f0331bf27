package import HTTPTypes

extension HTTPAnswer {
    /// A response with a problem that has only a status and a sentence.
    package init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        let problem = ProblemDetails(title: status.reasonPhrase, status: status.code, detail: detail)
        self.init(problem, status: status, headers: headers)
    }

    /// The response to missing or invalid credentials, with the challenge of RFC 6750, section 3.
    package static var unauthorized: HTTPAnswer {
        HTTPAnswer(
            .unauthorized,
            "Send an Authorization field with a valid bearer token.",
            headers: [.wwwAuthenticate: #"Bearer realm="api""#]
        )
    }

    /// The response to a principal that the rule rejects.
    static var forbidden: HTTPAnswer {
        HTTPAnswer(
            .forbidden,
            "These credentials do not permit it.",
            headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope""#]
        )
    }

    /// The response when a time limit of the server was exceeded.
    static var timedOut: HTTPAnswer {
        HTTPAnswer(.gatewayTimeout, "It was not done within the time that it is allowed.")
    }

    /// The response to an invalid request, or nil if the server itself is at fault.
    init?(_ error: HTTPMessageError) {
        switch error {
        case .invalid:
            self.init(.badRequest, "\(error)")
        case .unsupportedMediaType(let expected):
            // `Accept` lists the supported types (RFC 9110, section 15.5.16).
            self.init(
                .unsupportedMediaType,
                "\(error)",
                headers: expected.isEmpty ? [:] : [.accept: expected.joined(separator: ", ")]
            )
        default:
            return nil
        }
    }
}
