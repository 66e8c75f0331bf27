//! An HTTP cache in front of a client: proof that it works, its settings, removal of responses, and tests.

// snippet.imports
import Duet
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

// snippet.end

// snippet.first
struct LoadNotes: HTTPQuery {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("notes")
}

// A scripted server, which responds to GET /notes once.
let network = MockHTTPClient()
network.expect(.get, "/notes", headers: [.cacheControl: "max-age=60"], json: #"["Milk"]"#)

let cache = network.caching()
let server = try BaseURL("https://api.example")
let api = HTTPDispatcher(baseURL: server, client: cache.logging { print($0) })

print(try await api.dispatch(LoadNotes()))
print(try await api.dispatch(LoadNotes()))
print("\(cache.statistics.hits) hit, \(cache.statistics.misses) miss")
// snippet.end

// snippet.status
let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")
let (response, _) = try await cache.data(for: request)
print(response.headerFields[.cacheStatus] ?? "no cache")  // Duet; hit; ttl=60
print(response.cacheStatus?.isFromCache == true)  // true
// snippet.end

// snippet.operator
let client = network.caching()
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

// snippet.policy
func careful(_ network: any HTTPClient) -> CachingHTTPClient {
    let store = InMemoryHTTPCacheStore(capacity: 8_000_000)
    let policy = HTTPCachePolicy(heuristicShare: 0, staleOnFailureLimit: .seconds(60))
    let configuration = CachingHTTPClient.Configuration(
        secrets: [.from],
        waitLimit: .seconds(1),
        variantLimit: 4,
        name: "app"
    )
    return network.caching(in: store, policy: policy, configuration: configuration)
}
// snippet.end

// snippet.reports
@Sendable
func log(_ report: HTTPCacheReport) {
    switch report {
    case .credentialsHidden: assertionFailure("\(report)")
    case .storeFailed, .storeWorks: print(report)
    @unknown default: print(report)
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
struct AddNote: HTTPCommand {
    static let route: CommandRoute<Self> = .post("notes")
    let text: String
}

network.expect(.post, "/notes", status: .created)
network.expect(.get, "/notes", headers: [.cacheControl: "max-age=60"], json: #"["Milk", "Bread"]"#)

try await api.dispatch(AddNote(text: "Bread"))
print(try await api.dispatch(LoadNotes()))
// snippet.end

// snippet.directives
network.expect(.get, "/notes", headers: [.cacheControl: "max-age=60"], json: "[]")

let (validated, _) = try await cache.data(for: request.cacheControl(.reload))
let (local, _) = try await cache.data(for: request.cacheControl(.onlyIfCached))
print(validated.cacheStatus?.forward == .request, local.cacheStatus?.hit == true)  // true true
// snippet.end

// snippet.removing
try await cache.removeAll(answering: LoadNotes(), at: server)
try await cache.removeAll(answering: request)
if let url = URL(string: "https://api.example/notes") {
    try await cache.removeAll(under: url)  // also /notes?page=2 and /notes/7
}
try await cache.removeAll()  // for example at a logout
// snippet.end

// snippet.refused
network.expect(.get, "/notes", headers: [.cacheControl: "no-store"], json: "[]")

let (refused, _) = try await cache.data(for: request)
print(refused.cacheStatus?.notStored == .noStore)  // true
// snippet.end

// snippet.offline
func showOffline() async throws {
    let date = Mutex(Date(timeIntervalSince1970: 0))
    let network = MockHTTPClient()
    network.expect(.get, "/notes", headers: [.cacheControl: "max-age=60, stale-if-error=3600"], json: #"["Milk"]"#)
    network.expect(.get, "/notes", status: .serviceUnavailable)
    let cache = network.caching(configuration: .init(now: { date.withLock { $0 } }))

    _ = try await cache.data(for: request)
    date.withLock { $0 += 120 }
    let (response, _) = try await cache.data(for: request)
    print(response.status, response.headerFields[.cacheStatus] ?? "no cache")
}

try await showOffline()
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
func testNotesAreLoadedOnceAMinute() async throws {
    let date = Mutex(Date(timeIntervalSince1970: 0))
    let network = MockHTTPClient()
    network.expect(.get, "/notes", times: 2, headers: [.cacheControl: "max-age=60"], json: "[]")
    let cache = network.caching(configuration: .init(now: { date.withLock { $0 } }))

    for _ in 1...3 { _ = try await cache.data(for: request) }
    date.withLock { $0 += 60 }
    let (response, _) = try await cache.data(for: request)
    assert(response.cacheStatus?.forward == .stale)
    assert(network.missing == [])
}
// snippet.end

// snippet.store
/// Keeps responses in a table of a database; here, an array stands for the table.
actor TableStore: HTTPCacheStore {
    private var rows: [(key: HTTPCacheKey, id: StoredResponse.ID, json: Data)] = []

    func responses(for key: HTTPCacheKey) throws -> [StoredResponse] {
        try rows.reversed().filter { $0.key == key }
            .map { try JSONDecoder().decode(StoredResponse.self, from: $0.json) }
    }

    func insert(
        _ response: StoredResponse,
        for key: HTTPCacheKey,
        replacing ids: [StoredResponse.ID]
    ) throws -> Bool {
        let json = try JSONEncoder().encode(response)
        rows.removeAll { ids.contains($0.id) }
        rows.append((key, response.id, json))
        return true
    }

    func remove(_ removal: HTTPCacheRemoval) {
        rows.removeAll { row in
            switch removal {
            case .responses(let ids, let key): row.key == key && ids.contains(row.id)
            case .uri(let uri): row.key.uri == uri
            case .prefix(let prefix): row.key.uri.utf8.starts(with: prefix.utf8)
            }
        }
    }

    func removeAll() { rows = [] }
}
// snippet.end

// snippet.contract
// snippet.hide
// swift-format-ignore: OrderedImports
// snippet.show
import DuetContracts

func testTheStoreMeetsItsContract() async throws {
    for clause in HTTPCacheStoreContract.allCases {
        // Each clause begins with an empty table.
        let store = TableStore()
        try await clause.verify { store }
    }
}
// snippet.end

network.expect(.get, "/health", headers: [.cacheControl: "max-age=60"], json: #""fine""#)
network.expect(.get, "/feed", headers: [.cacheControl: "max-age=60"], json: "[]")
let keyed = KeyAdding(base: network.caching(in: TableStore(), report: log), key: "k")
let other = HTTPDispatcher(baseURL: server, client: keyed)
let health = try await other.dispatch(LoadHealth())
precondition(health == "fine")
_ = try await other.dispatch(LoadFeed())
precondition(network.missing.isEmpty)
precondition(client.statistics == HTTPCacheStatistics())
precondition(KeyAdding(base: careful(network), key: "k").layers.count == 3)
try await testNotesAreLoadedOnceAMinute()
try await testTheStoreMeetsItsContract()
