import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

@Suite
struct TemporaryErrorTests {
    private struct Fault: Error {}

    /// With a text of a server.
    private struct Foreign: Error, CustomStringConvertible {
        let description = "no\ntoken\u{1B}[2J"
    }

    @Test(arguments: [
        (200, false), (400, false), (401, false), (404, false), (408, true), (409, false), (422, false), (425, true),
        (429, true), (500, true), (501, false), (502, true), (503, true), (504, true),
    ])
    func `the status decides whether a failure is temporary`(status: Int, isTemporary: Bool) {
        #expect(failure(.status, status).isTemporary == isTemporary)
    }

    @Test func `a response that cannot be used is not temporary`() {
        #expect(!failure(.mediaType, 503).isTemporary)
        #expect(!failure(.body(Fault()), 503).isTemporary)
    }

    @Test func `errors without a response are temporary if the request may succeed later`() {
        let url = "https://shop.example"
        let temporary: [HTTPClientError] = [
            .connectionFailed(url: url, underlying: Fault()), .deadlineExceeded(url: url, after: .seconds(1)),
            .tooManyWaiting(url: url, limit: 1), .shutDown(url: url),
        ]
        let permanent: [HTTPClientError] = [
            .invalidRequest(reason: ""), .bodyTooLarge(url: url, limit: 1), .tooManyRedirects(url: url),
            .redirectRefused(url: url, reason: ""),
        ]
        for error in temporary {
            #expect(error.isTemporary)
            #expect(HTTPClientError.attemptsFailed([], last: error).isTemporary)
        }
        for error in permanent {
            #expect(!error.isTemporary)
            #expect(!HTTPClientError.attemptsFailed([], last: error).isTemporary)
        }
    }

    @Test(arguments: [(401, true), (403, false), (503, false)])
    func `only a sender that the server does not know has to sign in`(status: Int, needsSignIn: Bool) {
        #expect(failure(.status, status).needsSignIn == needsSignIn)
    }

    @Test func `a missing token is as temporary as its cause`() {
        let offline = HTTPClientError.connectionFailed(url: "https://login.example", underlying: Fault())
        let busy = failure(.status, 503, [.retryAfter: "20"])
        for cause in [offline, busy] as [any Error] {
            let error = TokenUnavailable(underlying: cause)
            #expect(error.isTemporary)
            #expect(!error.needsSignIn)
        }
        #expect(TokenUnavailable(underlying: busy).retryAfter == .seconds(20))
        for cause in [failure(.status, 400), Fault()] as [any Error] {
            let error = TokenUnavailable(underlying: cause)
            #expect(!error.isTemporary)
            #expect(error.needsSignIn)
        }
    }

    @Test func `the text of a missing token says what is wrong, and to check the source if that helps`() async throws {
        let offline = HTTPClientError.deadlineExceeded(url: "https://login.example", after: .seconds(1))
        let invalid = await #expect(throws: (any Error).self) {
            try await ConstantTokenSource.basic(user: "a:b", password: "").current()
        }
        let refusal = "Shop.AddBook: the server responded with"
        for (cause, text, isChecked) in [
            (offline, "No complete response from https://login.example within 1 second.", false),
            (failure(.status, 503), "\(refusal) 503 to POST https://shop.example/books.", false),
            (failure(.status, 400), "\(refusal) 400 to POST https://shop.example/books.", true),
            (
                try #require(invalid),
                "The user and the password cannot be sent: a user's name must not have a colon in it.", true
            ),
            (Foreign(), "no token [2J.", true),
        ] as [(any Error, String, Bool)] {
            let advice = isChecked ? " Check what the token source needs." : ""
            #expect(TokenUnavailable(underlying: cause).description == "No token for the request: \(text)\(advice)")
        }
    }

    @Test func `a failure reports how long the server asks to wait`() {
        let (date, later) = ("Thu, 01 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:01:00 GMT")
        for (fields, wish) in [
            ([:], nil), ([.retryAfter: "60"], .seconds(60)), ([.retryAfter: "soon"], nil),
            ([.retryAfter: later, .date: date], .seconds(60)), ([.retryAfter: later], nil),
        ] as [(HTTPFields, Duration?)] {
            #expect(failure(.status, 429, fields).retryAfter == wish)
        }
    }

    private func failure(_ reason: HTTPFailure.Reason, _ status: Int, _ fields: HTTPFields = [:]) -> HTTPFailure {
        HTTPFailure(
            message: "Shop.AddBook",
            request: HTTPRequest(method: .post, scheme: "https", authority: "shop.example", path: "/books"),
            reason: reason,
            response: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: Data()
        )
    }
}
