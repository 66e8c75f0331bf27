import Duet
import DuetHTTP
import Foundation
import Testing

extension HTTPBinTests {
    /// Requests to a server with its own URL parser.
    struct EchoTests {
        private static let texts = ["", "a+b", "1%2F2", "a&b=c", "Zoë 💡", "a b", "#?;", "\"\\\n"]

        private let url: URL

        init() throws {
            url = try #require(HTTPBinTrait.url)
        }

        @Test(arguments: texts)
        func `every part of a query arrives as it was`(text: String) async throws {
            let filter = Everything.Filter(name: text, talks: 13, tags: [text, "b"])
            let query = Everything(id: "x", filter: filter, order: text, page: 2, searchText: text)
            let echo = try await withClient { try await HTTPDispatcher(baseURL: url, client: $0).dispatch(query) }
            #expect(echo.method == "GET")
            #expect(
                echo.args == [
                    "name": .string(text), "talks": .string("13"), "tags": .array([.string(text), .string("b")]),
                    "order": .string(text), "page": .string("2"), "query": .string(text),
                ]
            )
        }

        @Test func `nil is left out`() async throws {
            let echo = try await withClient {
                try await HTTPDispatcher(baseURL: url, client: $0).dispatch(Everything(id: "x"))
            }
            #expect(echo.args == ["order": .string("name")])
        }

        @Test(arguments: texts)
        func `a command arrives as JSON`(text: String) async throws {
            let answers = Answers()
            try await withClient { client in
                try await HTTPDispatcher(baseURL: url, client: RememberingClient(base: client, answers: answers))
                    .dispatch(Tell(text: text, day: Date(timeIntervalSince1970: 0)))
            }
            let echo = try #require(try await answers.echoes().first)
            #expect(echo.method == "POST")
            #expect(echo.json == .object(["text": .string(text), "day": .string("1970-01-01T00:00:00Z")]))
        }

        @Test(arguments: [301, 302, 303, 307, 308])
        func `a redirected command keeps method and body as RFC 9110 requires`(status: Int) async throws {
            struct Redirected: BodyCommand {
                static let route: CommandRoute<Self> = .post("redirect-to").parameterNames(["status": "status_code"])
                let url: String
                let status: Int
                let body: HTTPBytes
            }
            let answers = Answers()
            let command = Redirected(
                url: "/anything/there",
                status: status,
                body: HTTPBytes(Data("abc".utf8), mediaType: "text/plain")
            )
            try await withClient { client in
                let client = RememberingClient(base: client.followingRedirects(), answers: answers)
                try await HTTPDispatcher(baseURL: url, client: client).dispatch(command)
            }
            let echo = try #require(try await answers.echoes().last)
            #expect(echo.method == (status >= 307 ? "POST" : "GET"))
            #expect(echo.data == (status >= 307 ? "abc" : ""))
        }

        @Test func `bytes arrive unchanged`() async throws {
            let answers = Answers()
            let body = HTTPBytes(Data("<svg/>".utf8), mediaType: "image/svg+xml")
            try await withClient { client in
                try await HTTPDispatcher(baseURL: url, client: RememberingClient(base: client, answers: answers))
                    .dispatch(Store(id: "a/b", body: body))
            }
            let echo = try #require(try await answers.echoes().first)
            #expect(echo.method == "PUT")
            #expect(echo.data == "<svg/>")
            #expect(echo.json == nil)
        }
    }
}
