import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.3.5, freshening with HEAD")
struct HeadTests {
    private func updates(_ stored: [String], _ answer: [String], status: Int = 200, method: HTTPRequest.Method = .head)
        throws -> [HeadUpdate]
    {
        let stored = try Exchange(["Cache-Control: max-age=2", "Date: @0", "a: 1"] + stored).stored()
        let exchange = Exchange(method, "/", [], status: status, answer)
        return HTTPCachePolicy.private.receivedHead(
            exchange.response,
            to: exchange.request,
            at: Exchange.times(5),
            about: [stored]
        )
    }

    @Test(
        arguments: [
            ([], [], true), (["ETag: \"a\""], ["ETag: \"a\""], true), (["ETag: \"a\""], ["ETag: \"b\""], false),
            (["ETag: \"a\""], ["ETag: W/\"a\""], false),
            ([], ["ETag: \"b\""], false), (["Last-Modified: @-9"], ["Last-Modified: @-9"], true),
            (["Last-Modified: @-9"], ["Last-Modified: @-8"], false),
            ([], ["Content-Length: 10"], true), ([], ["Content-Length: 11"], false), ([], ["Content-Length: x"], false),
            (["ETag: \"a\""], [], true), (["ETag: \"\u{FFFD}\""], ["ETag: \"\u{FFFD}\""], false),
            (["ETag: \"a\""], ["ETag: \"\u{FFFD}\""], false), (["ETag: \"\u{FFFD}\""], [], true),
        ] as [([String], [String], Bool)]
    )
    func `the same validators and length update, and others remove`(stored: [String], answer: [String], isSame: Bool)
        throws
    {
        let update = try #require(try updates(stored, answer + ["Cache-Control: max-age=60", "b: 2"]).first)
        switch update {
        case .update(let old, by: let new):
            #expect(isSame)
            #expect(new.response.headerFields[.a] == "1" && new.response.headerFields[.b] == "2")
            #expect(new.method == .get && new.content == old.content)
            #expect(
                HTTPCachePolicy.private.lookup(in: [new], for: Exchange.request(), at: Exchange.date(64)).outcome
                    == .fresh
            )
        case .remove:
            #expect(!isSame)
        }
    }

    @Test func `only a 200 to HEAD affects responses to GET, and only matching ones`() throws {
        #expect(try updates([], [], status: 410).isEmpty)
        #expect(try updates([], [], status: 304).isEmpty)
        #expect(try updates([], [], method: .get).isEmpty)
        #expect(try updates(["Vary: b"], []).count == 1)
        let other = try Exchange(.get, "/", ["b: 1"], ["Cache-Control: max-age=2", "Vary: b"]).stored()
        let head = Exchange(.head, "/", [], ["ETag: \"x\""])
        #expect(
            HTTPCachePolicy.private.receivedHead(head.response, to: head.request, at: Exchange.times(), about: [other])
                .isEmpty
        )
    }

    @Test func `a response that HEAD forbids to store is removed`() throws {
        #expect(
            try updates([], ["Cache-Control: no-store"]).map { if case .remove = $0 { true } else { false } } == [true]
        )
    }
}
