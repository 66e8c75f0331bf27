import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct HTTPFailureTests {
    private static let request = HTTPRequest(
        method: .get,
        scheme: "https",
        authority: "ann:pass@shop.example",
        path: "/books/1?key=k"
    )
    private static let answered = "Shop.FindBook: the server responded with"
    private static let asked = "to GET https://shop.example/books/1"

    private func failure(
        _ reason: HTTPFailure.Reason,
        _ status: HTTPResponse.Status = .notFound,
        headers: HTTPFields = [:],
        body: String = "secret",
        problem: ProblemDetails? = nil,
        attempts: Int = 0
    ) -> HTTPFailure {
        HTTPFailure(
            message: "Shop.FindBook",
            request: Self.request,
            reason: reason,
            response: HTTPResponse(status: status, headerFields: headers),
            body: Data(body.utf8),
            problem: problem,
            attempts: (0..<attempts).map { _ in HTTPAttempt(failure: .status(status), delay: nil) }
        )
    }

    private func description(
        _ reason: HTTPFailure.Reason,
        _ status: HTTPResponse.Status = .notFound,
        headers: HTTPFields = [:],
        body: String = "secret",
        problem: ProblemDetails? = nil,
        attempts: Int = 0
    ) -> String {
        failure(reason, status, headers: headers, body: body, problem: problem, attempts: attempts).description
    }

    @Test func `a failure has the message, the status and the URL without user and query`() {
        #expect(description(.status) == "\(Self.answered) 404 Not Found \(Self.asked).")
        #expect(description(.status, 599) == "\(Self.answered) 599 \(Self.asked).")
        #expect(failure(.status).status == .notFound)
        #expect(failure(.status).descriptionWithoutURL == "\(Self.answered) 404 Not Found.")
    }

    @Test(arguments: [(0, ""), (1, ""), (2, " after 2 attempts"), (3, " after 3 attempts")])
    func `a failure has the number of attempts, if there were several`(attempts: Int, text: String) {
        #expect(description(.status, attempts: attempts) == "\(Self.answered) 404 Not Found \(Self.asked)\(text).")
    }

    @Test(arguments: [(300, false), (301, true), (302, true), (303, true), (304, false), (307, true), (308, true)])
    func `the failure of a redirect names the layer that follows it`(status: Int, isFollowed: Bool) {
        let text = description(.status, .init(code: status), headers: [.location: "https://shop.example/b"])
        #expect(text.contains("Add followingRedirects() to the client") == isFollowed)
        #expect(!description(.status, .init(code: status)).contains("followingRedirects"))
    }

    @Test(
        arguments: [
            (#"{"type": "urn:x", "status": 404}"#, "application/json", true),
            (#"{"title": "T", "status": 404}"#, "text/html", true),
            (#"{"title": "T", "status": 404}"#, nil, true),
            (#"{"title": "T", "status": 404}"#, "application/problem+json", false),
            (#"{"title": "T"}"#, "application/json", false),
            (#"{"status": 404}"#, "application/json", false),
            (#"[{"type": "urn:x", "status": 404}]"#, "application/json", false),
            ("", "application/json", false),
        ]
    )
    func `an error names a problem that was sent with another media type`(
        body: String,
        mediaType: String?,
        isTold: Bool
    ) {
        let headers: HTTPFields = mediaType.map { [.contentType: $0] } ?? [:]
        let told = """
             Its body looks like a problem (RFC 9457), which must be sent as application/problem+json, not as \
            \(mediaType ?? "no media type").
            """
        let text = description(.status, headers: headers, body: body)
        #expect(text == "\(Self.answered) 404 Not Found \(Self.asked).\(isTold ? told : "")")
    }

    @Test func `the localized description of an error is its description`() {
        let errors: [any Error & CustomStringConvertible] = [
            failure(.status), HTTPClientError.shutDown(url: "u"), HTTPMessageError.notServed(message: "m"),
        ]
        for error in errors { #expect((error as any Error).localizedDescription == error.description) }
    }

    @Test func `a failure has the server's explanation, the detail before the title`() {
        let both = ProblemDetails(title: "T", detail: "No such book")
        #expect(
            description(.status, problem: both)
                == "\(Self.answered) 404 Not Found \(Self.asked): No such book."
        )
        let title = ProblemDetails(title: "T")
        #expect(description(.status, problem: title) == "\(Self.answered) 404 Not Found \(Self.asked): T.")
        #expect(description(.status, problem: ProblemDetails()) == description(.status))
    }

    @Test func `third-party text is cut to one line without control characters`() {
        let evil = ProblemDetails(detail: "\u{1B}[31mred\nline\u{2028}" + String(repeating: "x", count: 1_000))
        let text = description(.status, problem: evil)
        #expect(text.contains(": [31mred line ") || text.contains(":  [31mred line "))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x2028 })
        #expect(text.count < 300)
    }

    @Test func `a failure names the unusable media type`() {
        #expect(
            description(.mediaType, .ok, headers: [.contentType: "text/html"])
                == "\(Self.answered) 200 OK \(Self.asked), but in text/html, which is not JSON."
        )
    }

    @Test func `a failure names the place in the body, but not its content`() {
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
                "\(Self.answered) 200 OK \(Self.asked), but its body is invalid: [0].title "
            )
        )
        #expect(!text.contains("4242"))
    }

    @Test func `an error names a body that is not JSON of the type`() {
        let failure = failure(.status, .badRequest, body: "[1, 2]")
        #expect(throws: HTTPMessageError.self) { try failure.decode(String.self) }
        #expect((try? failure.decode([Int].self)) == [1, 2])
    }

    @Test(arguments: [HTTPFailure.Reason.status, .mediaType])
    func `a description has nothing of a body`(reason: HTTPFailure.Reason) {
        #expect(!description(reason).contains("secret"))
    }
}
