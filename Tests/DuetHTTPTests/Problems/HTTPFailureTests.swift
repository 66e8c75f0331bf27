import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPFailureTests {
    private func description(
        _ reason: HTTPFailure.Reason,
        _ status: HTTPResponse.Status = .notFound,
        headers: HTTPFields = [:],
        problem: ProblemDetails? = nil
    ) -> String {
        let response = HTTPResponse(status: status, headerFields: headers)
        return HTTPFailure(
            message: "Shop.FindBook",
            reason: reason,
            response: response,
            body: Data("secret".utf8),
            problem: problem
        )
        .description
    }

    @Test func `a failure says which message got which status`() {
        #expect(description(.status) == "Shop.FindBook: the server answered with 404 Not Found.")
        #expect(description(.status, 599) == "Shop.FindBook: the server answered with 599.")
    }

    @Test func `a failure says what the server says of it, the detail before the title`() {
        let both = ProblemDetails(title: "T", detail: "No such book")
        #expect(
            description(.status, problem: both)
                == "Shop.FindBook: the server answered with 404 Not Found: No such book."
        )
        let title = ProblemDetails(title: "T")
        #expect(description(.status, problem: title) == "Shop.FindBook: the server answered with 404 Not Found: T.")
        #expect(description(.status, problem: ProblemDetails()) == description(.status))
    }

    @Test func `a foreign text is cut to a line without control characters`() {
        let evil = ProblemDetails(detail: "\u{1B}[31mred\nline\u{2028}" + String(repeating: "x", count: 1_000))
        let text = description(.status, problem: evil)
        #expect(text.contains(": [31mred line ") || text.contains(":  [31mred line "))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x2028 })
        #expect(text.count < 300)
    }

    @Test func `a failure names the media type that is no use`() {
        #expect(
            description(.mediaType, .ok, headers: [.contentType: "text/html"])
                == "Shop.FindBook: the server answered with 200 OK, but in text/html, which is not JSON."
        )
    }

    @Test func `a failure names the place in the body, and nothing that stands there`() {
        struct Book: Decodable {
            let title: String
        }
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Book].self, from: Data(#"[{"title": 4242}]"#.utf8))
        }
        guard let error else { return }
        let text = description(.body(error), .ok)
        #expect(
            text.hasPrefix(
                "Shop.FindBook: the server answered with 200 OK, but not with what was agreed on: [0].title "
            )
        )
        #expect(!text.contains("4242"))
    }

    @Test func `a body that is no JSON of a type says so`() {
        let response = HTTPResponse(status: .badRequest)
        let failure = HTTPFailure(message: "m", reason: .status, response: response, body: Data("[1, 2]".utf8))
        #expect(throws: HTTPMessageError.self) { try failure.decode(String.self) }
        #expect((try? failure.decode([Int].self)) == [1, 2])
    }

    @Test(arguments: [HTTPFailure.Reason.status, .mediaType])
    func `nothing of a body is told`(reason: HTTPFailure.Reason) {
        #expect(!description(reason).contains("secret"))
    }
}
