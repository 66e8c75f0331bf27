import DuetHTTP
import HTTPTypes
import Hummingbird

/// Why a request is not handled, as its sender is told.
struct Refusal: Error {
    let status: HTTPResponse.Status
    let detail: String
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.detail = detail
        self.headers = headers
    }

    var answer: HTTPAnswer {
        HTTPAnswer(
            ProblemDetails(title: status.reasonPhrase, status: status.code, detail: detail),
            status: status,
            headers: headers
        )
    }

    func response(to method: HTTPRequest.Method) -> Response {
        Response(answer, to: method)
    }
}
