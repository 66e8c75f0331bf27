import FeedAPI
import FeedFeature
import Foundation
import HTTPTypes
import Testing

/// What of a server's refusal reaches the reader of a log.
struct ProblemTests {
    private func reason(contentType: String?, _ body: String) throws -> String {
        var response = HTTPResponse.status(404)
        response.headerFields[.contentType] = contentType
        return try invalidDataReason { try FeedItemsMapper.map(Data(body.utf8), from: response) }
    }

    @Test(arguments: [
        "application/problem+json", "application/problem+json; charset=utf-8", "Application/Problem+JSON;charset=utf-8",
    ])
    func `the detail of a problem is part of the reason`(contentType: String) throws {
        let reason = try reason(contentType: contentType, "{\"title\":\"t\",\"detail\":\"No such image.\"}")
        #expect(reason == "its status is 404, not 200: No such image.")
    }

    @Test(arguments: [
        ("application/json", "{\"detail\":\"d\"}"),
        ("text/html", "<p>"),
        (nil, "{\"detail\":\"d\"}"),
        ("application/problem+json", "{\"title\":\"t\"}"),
        ("application/problem+json", "{\"detail\":null}"),
        ("application/problem+json", "{\"detail\":1}"),
        ("application/problem+json", "[]"),
        ("application/problem+json", ""),
    ])
    func `without a detail the status has to do`(contentType: String?, body: String) throws {
        #expect(try reason(contentType: contentType, body) == "its status is 404, not 200")
    }

    @Test(arguments: [(199, false), (200, false), (201, true)])
    func `a detail is cut after 200 characters`(length: Int, isCut: Bool) throws {
        let detail = String(repeating: "x", count: length)
        let reason = try reason(contentType: "application/problem+json", "{\"detail\":\"\(detail)\"}")
        #expect(reason == "its status is 404, not 200: " + (isCut ? detail.dropLast() + "…" : detail))
    }

    @Test func `control characters do not reach a terminal`() throws {
        let detail = "a\\u001b[31mb\\r\\nc\\u0007\\u202Ed\\u2028e\\u009B"
        let reason = try reason(contentType: "application/problem+json", "{\"detail\":\"\(detail)\"}")
        #expect(reason == "its status is 404, not 200: a [31mb  c  d e ")
    }
}
