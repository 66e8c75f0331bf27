package import HTTPTypes

extension HTTPAnswer {
    /// A problem that says no more than its status and a sentence.
    package init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        let problem = ProblemDetails(title: status.reasonPhrase, status: status.code, detail: detail)
        self.init(problem, status: status, headers: headers)
    }

    /// To a stranger, where a principal is asked for; the challenge is that of RFC 6750, section 3.
    package static var unauthorized: HTTPAnswer {
        HTTPAnswer(
            .unauthorized,
            "Send an Authorization field with a valid bearer token.",
            headers: [.wwwAuthenticate: #"Bearer realm="api""#]
        )
    }

    /// To a principal that the rule does not let in.
    static var forbidden: HTTPAnswer {
        HTTPAnswer(
            .forbidden,
            "These credentials do not permit it.",
            headers: [.wwwAuthenticate: #"Bearer error="insufficient_scope""#]
        )
    }

    /// When a time limit within the server ended the work.
    static var timedOut: HTTPAnswer {
        HTTPAnswer(.gatewayTimeout, "It was not done within the time that it is allowed.")
    }

    /// To a request that no message can be read from, or nil when the fault is the server's own.
    init?(_ error: HTTPMessageError) {
        switch error {
        case .invalid:
            self.init(.badRequest, "\(error)")
        case .unsupportedMediaType(let expected):
            // RFC 9110, section 15.5.16: `Accept` tells which types would have been taken.
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
