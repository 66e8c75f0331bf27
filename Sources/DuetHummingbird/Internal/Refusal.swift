import DuetHTTP
import HTTPTypes
import Hummingbird

/// Why a request is not handled, as its sender is told.
struct Refusal: Error {
    let answer: HTTPAnswer

    init(_ answer: HTTPAnswer) {
        self.answer = answer
    }

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        answer = HTTPAnswer(status, detail, headers: headers)
    }

    func response(to method: HTTPRequest.Method) -> Response {
        Response(answer, to: method)
    }
}
