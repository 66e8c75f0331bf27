//! A cache in front of any HTTP client, and where each answer came from.

import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import HTTPTypes

// snippet.hide
let network = MockHTTPClient()
network.expect(.get, "/feed", headers: [.cacheControl: "max-age=60"], json: "[]")
network.expect(.post, "/feed", status: .created)
network.expect(.get, "/feed", headers: [.cacheControl: "max-age=60"], json: "[1]")
let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/feed")
// snippet.show

// snippet.caching
let client = network.caching()
let (first, _) = try await client.send(request)
let (second, _) = try await client.send(request)
// snippet.end

// snippet.status
print(first.headerFields[.cacheStatus] ?? "")  // Duet; fwd=uri-miss; ttl=60; stored
print(second.cacheStatus?.hit == true)  // true
// snippet.end

// snippet.changing
var post = request
post.method = .post
_ = try await client.send(post)
let (third, _) = try await client.send(request)
print(third.cacheStatus?.forward == .uriMiss)  // true: what was stored of it is gone
// snippet.end

precondition(first.cacheStatus?.stored == true && second.cacheStatus?.hit == true && network.missing.isEmpty)

// snippet.settings
var configuration = CachingHTTPClient.Configuration()
configuration.name = "api.example/app"
let careful = network.caching(
    in: MemoryHTTPCacheStore(capacity: 8_000_000),
    configuration: configuration,
    report: { print($0) }  // once, when the store begins to fail
)
// snippet.end

// snippet.running
// Validates in the background what stale-while-revalidate lets answer stale; a service group would run it.
let background = Task { await careful.run() }
background.cancel()
await background.value
// snippet.end
