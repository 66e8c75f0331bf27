//! A cache in front of any HTTP client, where each answer came from, and what can be asked of it and set.

// snippet.imports
import Duet  // Query, which messages are
import DuetAsyncHTTPClient  // NIOHTTPClient, on Linux and servers
import DuetHTTP  // HTTPClient and its decorators
import DuetHTTPCaching  // caching()
import DuetSQLite  // SQLiteHTTPCacheStore
import DuetTesting  // MockHTTPClient, HTTPCacheStoreContract: in tests
import Foundation  // Data, Date, URL
import HTTPTypes  // HTTPRequest, HTTPResponse, HTTPFields
// snippet.end
import Synchronization

// snippet.hide
let network = MockHTTPClient()
network.expect(.get, "/feed", headers: [.cacheControl: "max-age=60"], json: "[]")
network.expect(.post, "/feed", status: .created)
network.expect(.get, "/feed", headers: [.cacheControl: "max-age=60"], json: #"["1"]"#)
network.expect(.get, "/feed", headers: [.cacheControl: "max-age=60"], json: #"["2"]"#)
network.expect(.get, "/feed", headers: [.cacheControl: "no-store"], json: #"["3"]"#)
let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/feed")
// snippet.show

// snippet.caching
let client = network.caching()
let (first, _) = try await client.data(for: request)
let (second, _) = try await client.data(for: request)
// snippet.end

// snippet.status
print(first.headerFields[.cacheStatus] ?? "")  // Duet; fwd=uri-miss; ttl=60; stored
print(second.cacheStatus?.isFromCache == true)  // true
// snippet.end

// snippet.network
func loadTwice(_ request: HTTPRequest) async throws {
    try await withNIOHTTPClient { network in
        let client = network.caching()
        _ = try await client.data(for: request)
        _ = try await client.data(for: request)
        print(client.statistics.hits)  // 1
    }
}
// snippet.end

// snippet.file
func cached(_ network: any HTTPClient, in folder: URL) throws -> CachingHTTPClient {
    let path = folder.appending(path: "http.sqlite").path(percentEncoded: false)
    let store = try SQLiteHTTPCacheStore(path: path, capacity: 64 * 1024 * 1024, onLoss: { print($0) })
    return network.caching(in: store) { print($0) }
}
// snippet.end

// snippet.layers
func makeClient(
    _ network: any HTTPClient,
    tokens: some TokenSource
) -> (client: any HTTPClient, cache: CachingHTTPClient) {
    let cache = network.caching()
    let client =
        cache
        .authenticated(by: tokens)
        .retrying()
        .deadline(.seconds(30))
    return (client, cache)
}
// snippet.end

// snippet.running
func whileValidating(with cache: CachingHTTPClient, _ work: () async throws -> Void) async rethrows {
    let background = Task { await cache.run() }
    defer { background.cancel() }
    try await work()
}
// snippet.end

// snippet.policy
func careful(_ network: any HTTPClient) -> CachingHTTPClient {
    network.caching(
        in: InMemoryHTTPCacheStore(capacity: 8_000_000),  // 64 MiB
        policy: HTTPCachePolicy(
            heuristicShare: 0,  // 0.1: of its age that what does not say is fresh, for a day at most
            staleOnFailureLimit: .seconds(60)  // a day: for which it stands in for an origin that fails
        ),
        configuration: CachingHTTPClient.Configuration(
            secrets: [.from],  // none: fields of the API's own that carry credentials
            waitLimit: .seconds(1),  // 5 seconds: how long a request waits for another one's fetch
            variantLimit: 4,  // 32: how many responses are kept for one URI, as Vary tells them apart
            revalidationLimit: 2,  // 8: how many are validated in the background at a time
            name: "app"  // Duet: in Cache-Status
        )
    )
}
// snippet.end

// snippet.reports
@Sendable
func tell(_ report: HTTPCacheReport) {
    switch report {
    case .credentialsHidden: assertionFailure("\(report)")
    case .storeFailed, .storeWorks: print(report)
    @unknown default: print(report)  // of a later version
    }
}
// snippet.end

// snippet.messages
struct LoadFeed: HTTPQuery {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("feed").requestHeaders(.cacheControl(.maxStale(.seconds(60))))
}

struct LoadHealth: HTTPQuery {
    typealias Value = String
    static let route: QueryRoute<Self> = .get("health").bypassing(CachingHTTPClient.self)
}
// snippet.end

// snippet.changing
var post = request
post.method = .post
_ = try await client.data(for: post)
let (third, _) = try await client.data(for: request)
print(third.cacheStatus?.forward == .uriMiss)  // true: what was stored of it is gone
// snippet.end

// snippet.directives
let (fourth, _) = try await client.data(for: request.cacheControl(.reload))  // the origin's word
let (fifth, _) = try await client.data(for: request.cacheControl(.onlyIfCached))  // or 504
// snippet.end

// snippet.removing
let server = try BaseURL("https://api.example")
try await client.removeAll(answering: LoadFeed(), at: server)  // what is stored for a message
try await client.removeAll(answering: request)
if let url = URL(string: "https://api.example/feed") {
    try await client.removeAll(under: url)  // with any query, and /feed/7
}
try await client.removeAll()  // at a log-out
// snippet.end

// snippet.refused
let (sixth, _) = try await client.data(for: request)
print(sixth.cacheStatus?.notStored == .noStore)  // true: it said Cache-Control: no-store
// snippet.end

// snippet.key
struct KeyAdding: HTTPClientDecorator {
    let base: any HTTPClient
    let key: String
    var summary: String { "the user's key" }
    var addsCredentials: Bool { true }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[.authorization] = "Key \(key)"
        return try await base.send(request, body: body)
    }
}
// snippet.end

// snippet.testing
func testThatTheFeedIsLoadedOnceAMinute(_ request: HTTPRequest) async throws {
    let date = Mutex(Date(timeIntervalSince1970: 0))
    let network = MockHTTPClient()
    network.expect(.get, "/feed", times: 2, headers: [.cacheControl: "max-age=60"], json: "[]")
    let client = network.caching(configuration: .init(now: { date.withLock { $0 } }))

    for _ in 1...3 { _ = try await client.data(for: request) }
    date.withLock { $0 += 60 }
    let (response, _) = try await client.data(for: request)
    assert(response.cacheStatus?.forward == .stale)
    assert(network.missing == [])
}
// snippet.end

// snippet.contract
func testThatTheStoreKeepsTheContract() async throws {
    for clause in HTTPCacheStoreContract.allCases {
        try await clause.verify { capacity in InMemoryHTTPCacheStore(capacity: capacity) }
    }
}
// snippet.end

precondition(first.cacheStatus?.stored == true && second.cacheStatus?.hit == true && network.missing.isEmpty)
precondition(fourth.cacheStatus?.forward == .stale || fourth.cacheStatus?.forward == .request)
precondition(fifth.cacheStatus?.hit == true)

let folder = FileManager.default.temporaryDirectory.appending(
    path: "duet-http-caching-\(ProcessInfo.processInfo.processIdentifier)"
)
defer { try? FileManager.default.removeItem(at: folder) }
network.expect(.get, "/health", times: 2, headers: [.cacheControl: "max-age=60"], json: #""fine""#)
let durable = try cached(KeyAdding(base: network, key: "k"), in: folder)
try await whileValidating(with: durable) {
    let api = HTTPDispatcher(baseURL: server, client: durable)
    let health = try await api.dispatch(LoadHealth())
    precondition(health == "fine")
}
precondition(KeyAdding(base: careful(network), key: "k").layers.count == 3)
precondition(network.caching(report: tell).statistics == HTTPCacheStatistics())
try await testThatTheFeedIsLoadedOnceAMinute(request)
