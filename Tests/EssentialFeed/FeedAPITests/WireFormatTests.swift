import Duet
import DuetHTTP
import FeedAPI
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Testing

/// The client's messages on the wire, byte by byte.
struct WireFormatTests {
    private static let id = "2AB2AE66-A4B7-4A16-B374-51BBAC8DB086"

    private let client = HTTPClientSpy(body: "{\"items\":[]}")

    /// The only request that a query sends, which has no body.
    private func request<Q: Query>(_ query: Q, base: String = "http://a.example") async throws -> HTTPRequest {
        _ = try await RemoteDispatcher(answering: client, base: base).dispatch(query)
        let (request, body) = try sent()
        #expect(body == nil)
        return request
    }

    /// The only request that a command sends.
    private func request<C: Command>(sending command: C) async throws -> (request: HTTPRequest, body: Data?) {
        try await RemoteDispatcher(answering: client).dispatch(command)
        return try sent()
    }

    private func sent() throws -> (HTTPRequest, Data?) {
        try #require(client.messages.count == 1)
        guard case .send(let request, let body) = client.messages[0] else { throw CancellationError() }
        return (request, body)
    }

    @Test func `the first page is requested with a limit only`() async throws {
        let request = try await request(LoadFeed(limit: 25))
        #expect(request.method == .get)
        #expect(request.path == "/v1/feed?limit=25")
    }

    @Test func `the default limit of ten is sent explicitly`() async throws {
        #expect(try await request(LoadFeed()).path == "/v1/feed?limit=10")
    }

    @Test func `a later page is requested with the last image's id in upper case`() async throws {
        let lower = try #require(UUID(uuidString: Self.id.lowercased()))
        #expect(try await request(LoadFeed(after: lower)).path == "/v1/feed?after_id=\(Self.id)&limit=10")
    }

    @Test func `comments are requested below their image`() async throws {
        let request = try await request(LoadImageComments(imageID: anyID))
        #expect(request.method == .get)
        #expect(request.path == "/v1/image/\(Self.id)/comments?limit=50")
    }

    @Test(arguments: [
        (LoadImageComments(imageID: anyID, limit: 7, before: otherID), "?limit=7&before_id=\(otherID)"),
        (LoadImageComments(imageID: anyID, limit: nil), ""),
    ])
    func `earlier comments are requested with the id of one`(_ query: LoadImageComments, parameters: String)
        async throws
    {
        #expect(try await request(query).path == "/v1/image/\(Self.id)/comments\(parameters)")
    }

    @Test func `a comment is posted as JSON with an idempotency key`() async throws {
        let command = PostImageComment(id: otherID, imageID: anyID, message: "\"é\"\n", username: "u")
        let (request, body) = try await request(sending: command)
        #expect(request.method == .post)
        #expect(request.path == "/v1/image/\(Self.id)/comments")
        #expect(request.headerFields[.contentType] == "application/json")
        let key = try #require(HTTPField.Name("Idempotency-Key"))
        #expect(request.headerFields[key] == "A28F5FE3-27A7-44E9-8DF5-53742D0E4A5A")
        let json = try JSONDecoder().decode([String: String].self, from: #require(body))
        #expect(json == ["id": "A28F5FE3-27A7-44E9-8DF5-53742D0E4A5A", "message": "\"é\"\n", "username": "u"])
    }

    @Test func `an image is put with its bytes, its media type and its texts`() async throws {
        let image = Data.tinyImage
        let command = PublishImage(id: anyID, description: "a+b & c=d/é?#", location: "Αθήνα", data: image)
        let (request, body) = try await request(sending: command)
        #expect(request.method == .put)
        #expect(
            request.path == "/v1/image/\(Self.id)?description=a%2Bb%20%26%20c%3Dd%2F%C3%A9%3F%23"
                + "&location=%CE%91%CE%B8%CE%AE%CE%BD%CE%B1"
        )
        #expect(request.headerFields[.contentType] == "image/jpeg")
        #expect(body == image)
    }

    @Test func `an image without texts is put without a query`() async throws {
        let (request, _) = try await request(sending: PublishImage(id: anyID, data: .tinyImage))
        #expect(request.path == "/v1/image/\(Self.id)")
    }

    @Test func `duplicates are refused only on request`() async throws {
        let command = PublishImage(id: anyID, refusesDuplicate: true, data: .tinyImage)
        #expect(try await request(sending: command).request.path == "/v1/image/\(Self.id)?refuse_duplicate=true")
    }

    @Test func `an image is removed with DELETE`() async throws {
        let (request, body) = try await request(sending: RemoveImage(id: anyID))
        #expect(request.method == .delete)
        #expect(request.path == "/v1/image/\(Self.id)")
        #expect(body == nil)
    }

    @Test func `a request accepts JSON and problems`() async throws {
        let request = try await request(LoadFeed())
        #expect(request.headerFields[.accept] == "application/json, application/problem+json")
    }

    @Test(arguments: [
        ("http://a.example", "http", "a.example", "/v1/feed?limit=10"),
        ("http://a.example/", "http", "a.example", "/v1/feed?limit=10"),
        ("https://a.example:8443", "https", "a.example:8443", "/v1/feed?limit=10"),
        ("http://127.0.0.1:8080/x/", "http", "127.0.0.1:8080", "/x/v1/feed?limit=10"),
        ("http://127.0.0.1:8080/x", "http", "127.0.0.1:8080", "/x/v1/feed?limit=10"),
        ("http://a.example/x/y//", "http", "a.example", "/x/y/v1/feed?limit=10"),
        ("http://a.example/a%2Fb%20c/", "http", "a.example", "/a%2Fb%20c/v1/feed?limit=10"),
        ("http://[::1]:8080/", "http", "[::1]:8080", "/v1/feed?limit=10"),
    ])
    func `the base URL keeps scheme, port and path, without a double slash`(
        base: String,
        scheme: String,
        authority: String,
        path: String
    ) async throws {
        let request = try await request(LoadFeed(), base: base)
        #expect(request.scheme == scheme)
        #expect(request.authority == authority)
        #expect(request.path == path)
        #expect(request.headerFields[.authorization] == nil)
    }

    @Test(arguments: [
        ("http://user:secret@a.example:8080/x/", "user:secret"),
        ("http://user@a.example:8080/x/", "user:"),
        ("http://user:@a.example:8080/x/", "user:"),
        ("http://us%40er:p%3Aa%2Fs@a.example:8080/x/", "us@er:p:a/s"),
        ("http://%C3%A9:%C3%BC@a.example:8080/x/", "é:ü"),
    ])
    func `the base URL's user is sent as a field, not in the address`(base: String, credentials: String)
        async throws
    {
        let request = try await request(LoadFeed(), base: base)
        let encoded = Data(credentials.utf8).base64EncodedString()
        #expect(request.headerFields[.authorization] == "Basic \(encoded)")
        #expect(request.authority == "a.example:8080")
        #expect(request.path == "/x/v1/feed?limit=10")
    }

    @Test(arguments: [
        ("a.example", "it must begin with http:// or https://"),
        ("/x", "it must begin with http:// or https://"),
        ("ftp://a.example", "it must begin with http:// or https://"),
        ("file:///x", "it must begin with http:// or https://"),
        ("mailto:a@a.example", "it must begin with http:// or https://"),
        ("http:", "it has no host"),
        ("http://", "it has no host"),
        ("https:///x", "it has no host"),
        ("http://:8080/", "it has no host"),
        ("http://a.example/?token=secret", "it must end with its path, without ? and #"),
        ("http://user:secret@a.example/#part", "it must end with its path, without ? and #"),
        ("http://us%3Aer:secret@a.example/", "a user's name must not have a colon in it"),
    ])
    func `an invalid base URL is reported without its secrets`(base: String, reason: String) throws {
        let url = try #require(URL(string: base))
        for make in [{ () throws in try BaseURL(url) }, { () throws in try BaseURL(base) }] {
            let error = try #require(throws: InvalidBaseURL.self) { try make() }
            #expect(error.reason == reason)
            #expect(!"\(error)".contains("secret"))
        }
    }
}
