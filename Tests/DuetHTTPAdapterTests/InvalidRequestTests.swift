import DuetAsyncHTTPClient
import DuetHTTP
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct InvalidRequestTests {
    @Test(arguments: [
        HTTPRequest(method: .get, scheme: nil, authority: "a.example", path: "/"),
        HTTPRequest(method: .get, scheme: "ftp", authority: "a.example", path: "/"),
        HTTPRequest(method: .get, scheme: "http+unix", authority: "a.example", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "user:secret@a.example", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "no-slash"),
        HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: ""),
        HTTPRequest(method: .get, scheme: "http", authority: ":80", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "a.example:port", path: "/"),
    ])
    func `a request that cannot be sent is named as such`(request: HTTPRequest) async throws {
        try await withClient { client in
            let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
            guard case .invalidRequest? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.description.contains("secret") == false)
        }
    }
}
