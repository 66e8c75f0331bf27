import FeedFeature
import FeedPresentation
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// Cookies, languages and addresses with text that is slow to compare.
struct ForeignTextTests {
    private func request(cookie: String...) -> Request {
        var headers = HTTPFields()
        for value in cookie { headers.append(HTTPField(name: .cookie, value: value)) }
        let head = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/", headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(arguments: [
        ("a=1; session=x; b=2", "x"), ("session=x;session=y", "x"), ("sessions=1;session=", ""), ("a=session=1", nil),
        ("session", nil), ("a=1;  session=x y ;b=1", "x y "), ("session=é", "é"), ("Session=1", nil), ("", nil),
        ("session=" + String(repeating: "x", count: 2_048), nil),
    ])
    func `a cookie is found by its bytes`(_ field: String, _ value: String?) {
        #expect(request(cookie: field).cookie("session") == value)
        #expect(request(cookie: "other=1", field).cookie("session") == value)
    }

    @Test func `a name that is canonically equivalent is another cookie`() {
        #expect(request(cookie: "e\u{301}=1").cookie("é") == nil)
    }

    @Test(arguments: [(35, Language.greek), (36, .english)])
    func `a tag of a language may have 35 characters`(_ size: Int, _ language: Language) async throws {
        let tag = "el-" + String(repeating: "x", count: size - 3)
        #expect(Language(tag: tag) == (language == .greek ? .greek : nil))
        let page = try await Site().get("/", language: tag)
        #expect(page.text.contains(#"<html lang="\#(language.tag)""#))
    }

    @Test func `a head with a long run of combining characters is a bad request`() async throws {
        let marks = String(repeating: "\u{301}", count: 3_500) + String(repeating: "\u{316}", count: 3_500)
        try await Site().application().test(.live) { client in
            let port = try #require(client.port)
            func status(_ name: HTTPField.Name, _ value: String) async throws -> HTTPResponse.Status {
                // The server closes the connection of a bad request.
                try await TestClient.withClient(host: "localhost", port: port) { client in
                    let head: HTTPFields = [name: value]
                    return try await client.execute(.init("/", method: .get, authority: "localhost", headers: head))
                        .status
                }
            }
            for name in [HTTPField.Name.cookie, .acceptLanguage, .ifNoneMatch, .accept, .userAgent] {
                for value in ["a\(marks)=1", "lang=\(marks)", marks] {
                    let refused = try await status(name, value)
                    #expect(refused == .badRequest, "\(name)")
                }
            }
            let accepted = try await status(.cookie, "a\(String(repeating: "\u{301}", count: 30))=1")
            #expect(accepted == .ok)
        }
    }
}
