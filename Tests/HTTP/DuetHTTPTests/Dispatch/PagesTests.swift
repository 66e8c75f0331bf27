import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Testing

/// Pages whose addresses the server names.
struct PagesTests {
    struct Issues: Codable, Hashable {
        var titles: [String]
        var next: String?
    }

    struct ListIssues: HTTPQuery, Hashable {
        typealias Value = Issues
        static let route: QueryRoute<Self> = .get("issues").requestHeader(.acceptLanguage) { _ in "de" }
    }

    struct Refused: Error, Decodable, Equatable { let code: Int }

    private let client = MockHTTPClient()
    private let base: BaseURL

    init() throws {
        base = try BaseURL("https://hub.example/v1")
    }

    private func expect(_ path: String, _ title: String, link: String? = nil, next: String? = nil) {
        var fields: HTTPFields = [:]
        if let link { fields[.known("Link")] = link }
        let end = next.map { #", "next": "\#($0)""# } ?? ""
        client.expect(.get, path, headers: fields, json: #"{"titles": ["\#(title)"]\#(end)}"#)
    }

    private func titles(_ pages: Pages<ListIssues>) async throws -> [String] {
        var titles: [String] = []
        for try await page in pages { titles += page.titles }
        return titles
    }

    @Test func `the next request is made from Link, as it is written`() async throws {
        expect("/v1/issues", "a", link: #"<https://hub.example/v1/issues?page=2&at=1%2C2,3>; rel="prev next""#)
        expect("/v1/issues?page=2&at=1%2C2,3", "b", link: "</other?page=3>;rel=next")
        expect("/other?page=3", "c", link: #"<?page=1>; rel="first""#)
        let api = HTTPDispatcher(baseURL: base, client: client)
        #expect(try await titles(api.pages(of: ListIssues())) == ["a", "b", "c"])
        #expect(client.missing == [])
    }

    @Test func `a value may name its next page, past a cache and with the fields of the query`() async throws {
        for _ in 1...2 {
            expect("/v1/issues", "a", next: "issues?cursor=x")
            expect("/v1/issues?cursor=x", "b")
        }
        let spy = LanguageSpy(base: client)
        let api = try HTTPDispatcher(baseURL: base, client: spy).caching(in: .memory(limit: .entries(9))) {
            Cache(ListIssues.self, .maxAge(.seconds(60)))
        }
        for _ in 1...2 {
            #expect(try await titles(api.pages(of: ListIssues()) { $0.next }) == ["a", "b"])
        }
        #expect(client.missing == [])
        #expect(await spy.languages == ["de", "de", "de", "de"])
    }

    @Test func `pages are loaded while they are read`() async throws {
        expect("/v1/issues", "a", link: "</2>; rel=next")
        let api = HTTPDispatcher(baseURL: base, client: client)
        for try await page in api.pages(of: ListIssues()) {
            #expect(page.titles == ["a"])
            break
        }
        #expect(client.missing == [])
    }

    @Test(arguments: [
        (
            "<http://hub.example/2>; rel=next",
            "page 1: the address of the page has another origin: http://hub.example/2"
        ),
        ("<//evil.example/2>; rel=next", "page 1: the address of the page has another origin: https://evil.example/2"),
        ("<mailto:a@b>; rel=next", "has another origin"), ("<https://[>; rel=next", "is not a URL"),
        ("</v1/issues>; rel=next", "page 2: the address of the page has been read before."),
    ])
    func `a page of another origin, and one that has been read, are refused`(
        _ link: String,
        _ text: String
    ) async throws {
        expect("/v1/issues", "a", link: link)
        let api = HTTPDispatcher(baseURL: base, client: client)
        let error = await #expect(throws: PageError.self) { _ = try await titles(api.pages(of: ListIssues())) }
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }

    @Test func `an error names its page, and has the type that a layer gives it`() async throws {
        expect("/v1/issues", "a", link: "</2>; rel=next")
        client.expect(.get, "/2", status: .forbidden, json: #"{"code": 7}"#)
        let api = HTTPDispatcher(baseURL: base, client: client).decodingErrors(as: Refused.self)
        let error = await #expect(throws: PageError.self) { _ = try await titles(api.pages(of: ListIssues())) }
        #expect(error?.page == 2)
        #expect(error?.error as? Refused == Refused(code: 7))
    }

    @Test func `an error of the closure is that of its page`() async throws {
        expect("/v1/issues", "a")
        let api = HTTPDispatcher(baseURL: base, client: client)
        let pages = api.pages(of: ListIssues()) { _ in throw Refused(code: 1) }
        let error = await #expect(throws: PageError.self) { _ = try await titles(pages) }
        #expect(error?.page == 1)
        #expect(error?.error as? Refused == Refused(code: 1))
    }

    @Test func `only listed queries have pages`() async throws {
        let messages = MessageAPI("hub", authorized: .open) { Unlisted.self }
        let api = try HTTPDispatcher(messages, baseURL: base, client: client)
        let error = await #expect(throws: PageError.self) { _ = try await titles(api.pages(of: ListIssues())) }
        #expect(error?.error is MessageAPIError)
    }

    struct Unlisted: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("unlisted") }

    private actor LanguageSpy: HTTPClient {
        let base: MockHTTPClient
        private(set) var languages: [String] = []

        init(base: MockHTTPClient) { self.base = base }

        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            languages += [request.headerFields[.acceptLanguage] ?? ""]
            return try await base.send(request, body: body)
        }
    }
}
