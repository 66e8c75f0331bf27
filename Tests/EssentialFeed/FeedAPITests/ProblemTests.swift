import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

/// The details of a server's error response in the client's error.
struct ProblemTests {
    private let refusal = "FeedFeature.LoadFeed: the server responded with 404 to GET http://a.example/v1/feed"

    private func reason(contentType: String?, _ body: String) async throws -> String {
        var response = HTTPResponse.status(404)
        response.headerFields[.contentType] = contentType
        let dispatcher = try RemoteDispatcher(answering: HTTPClientSpy(.success((response, Data(body.utf8)))))
        return try await invalidDataReason { try await dispatcher.dispatch(LoadFeed()) }
    }

    @Test(arguments: [
        "application/problem+json", "application/problem+json; charset=utf-8", "Application/Problem+JSON;charset=utf-8",
    ])
    func `the detail of a problem is part of the reason`(contentType: String) async throws {
        let reason = try await reason(contentType: contentType, "{\"title\":\"t\",\"detail\":\"No such image.\"}")
        #expect(reason == "\(refusal): No such image.")
    }

    @Test(arguments: [
        ("application/json", "{\"detail\":\"d\"}"),
        ("text/html", "<p>"),
        (nil, "{\"detail\":\"d\"}"),
        ("application/problem+json", "{\"detail\":null}"),
        ("application/problem+json", "{\"detail\":1}"),
        ("application/problem+json", "[]"),
        ("application/problem+json", ""),
    ])
    func `without a detail the reason is the status`(contentType: String?, body: String) async throws {
        #expect(try await reason(contentType: contentType, body) == "\(refusal).")
    }

    @Test func `without a detail the reason is the title`() async throws {
        let reason = try await reason(contentType: "application/problem+json", "{\"title\":\"t\"}")
        #expect(reason == "\(refusal): t.")
    }

    @Test(arguments: [(199, false), (200, false), (201, true)])
    func `a detail is truncated after 200 characters`(length: Int, isCut: Bool) async throws {
        let detail = String(repeating: "x", count: length)
        let reason = try await reason(contentType: "application/problem+json", "{\"detail\":\"\(detail)\"}")
        let told = isCut ? detail.dropLast() + "…" : detail
        #expect(reason == "\(refusal): \(told).")
    }

    @Test func `control characters do not reach a terminal`() async throws {
        let detail = "a\\u001b[31mb\\r\\nc\\u0007\\u202Ed\\u2028e\\u009B"
        let reason = try await reason(contentType: "application/problem+json", "{\"detail\":\"\(detail)\"}")
        #expect(reason == "\(refusal): a [31mb  c  d e .")
    }
}
