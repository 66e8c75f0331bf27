import DuetHTTP
import HTTPTypes

extension HTTPAnswer {
    /// A problem that says no more than its status and a sentence.
    init(_ status: HTTPResponse.Status, _ detail: String) {
        let problem = ProblemDetails(title: status.reasonPhrase, status: status.code, detail: detail)
        self.init(problem, status: status)
    }

    /// Why there is no answer of the origin: 504 when it took too long, 502 otherwise.
    ///
    /// It names no address: who asks a proxy need not know what is behind it.
    init(failure error: any Error) {
        switch (error as? HTTPClientError)?.reason {
        case .deadlineExceeded: self.init(.gatewayTimeout, "The origin did not answer in time.")
        default: self.init(.badGateway, "The origin could not be reached, or broke off, or its answer is not HTTP.")
        }
    }
}
