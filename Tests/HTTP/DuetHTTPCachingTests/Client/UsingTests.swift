import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Convenience API of a cache.
@Suite(.timeLimit(.minutes(5)))
struct UsingTests {
    @Test func `the trailing closure receives reports`() async throws {
        let lines = Mutex<[String]>([])
        let store = FaultyStore()
        store.failAll()
        let client = ScriptedOrigin { _ in .init(200, ["Cache-Control: max-age=60"], "one") }
            .caching(in: store) { report in lines.withLock { $0.append("\(report)") } }
        _ = try await client.send(ask())
        #expect(lines.withLock(\.count) == 2)
    }

    @Test func `a configuration and a policy need only values that differ from their defaults`() {
        let configuration = CachingHTTPClient.Configuration(
            secrets: [.from],
            waitLimit: .seconds(1),
            variantLimit: 2,
            name: "app",
            now: { Date(timeIntervalSince1970: 0) }
        )
        #expect((configuration.secrets, configuration.variantLimit, configuration.name) == ([.from], 2, "app"))
        #expect(configuration.waitLimit == .seconds(1))
        #expect(configuration.maximumBodySize == CachingHTTPClient.Configuration().maximumBodySize)
        #expect(configuration.now() == Date(timeIntervalSince1970: 0))
        #expect(HTTPCachePolicy(heuristicShare: 0).heuristicLimit == HTTPCachePolicy().heuristicLimit)
    }

    @Test func `statistics count responses by their source`() async throws {
        let scene = Scene { sent in
            switch sent.number {
            case 1: .init(200, ["Cache-Control: max-age=1", "ETag: \"1\""], "12345")
            case 2: .init(304)
            case 3: .init(503)
            default: .init(200, ["Cache-Control: no-store"], "x")
            }
        }
        #expect(scene.client.statistics == HTTPCacheStatistics())
        _ = try await scene.send()
        _ = try await scene.send()
        scene.time.pass(1)
        _ = try await scene.send()
        scene.time.pass(1)
        _ = try await scene.send()
        _ = try await scene.send(ask("/b"))
        _ = try await scene.send(ask("/c").cacheControl(.onlyIfCached))
        let statistics = scene.client.statistics
        #expect((statistics.hits, statistics.validated, statistics.staleOnFailure, statistics.misses) == (1, 1, 1, 2))
        #expect(statistics.storedBytes == 5)
    }

    @Test func `requests that are not looked up are no misses`() async throws {
        let scene = Scene { _ in .init(200, ["Cache-Control: max-age=60"], "x") }
        for method in [HTTPRequest.Method.head, .post, .put, .patch, .delete, .options] {
            _ = try await scene.send(ask("/a", [], method))
        }
        _ = try await scene.send(ask(), body: "x")
        #expect(scene.client.statistics.misses == 0)
        _ = try await scene.send(ask("/a", ["Cache-Control: no-store"]))
        #expect(scene.client.statistics.misses == 1)
    }

    @Test func `a request has directives for the cache`() async throws {
        let scene = Scene { .init(200, ["Cache-Control: max-age=10"], "\($0.number)") }
        #expect(try await scene.send(ask().cacheControl(.onlyIfCached)).code == 504)
        _ = try await scene.send()
        #expect(try await scene.send(ask().cacheControl(.reload)).body == "2")
        #expect(try await scene.send(ask().cacheControl(.noStore)).body == "3")
        scene.time.pass(70)
        #expect(try await scene.send(ask().cacheControl(.maxStale(.seconds(60)), .onlyIfCached)).body == "2")
        #expect(try await scene.send(ask().cacheControl(.maxStale(.seconds(59)))).body == "4")
        scene.time.pass(5)
        #expect(try await scene.send(ask().cacheControl(.maxAge(.seconds(5)))).body == "4")
        #expect(try await scene.send(ask().cacheControl(.maxAge(.seconds(4)))).body == "5")
    }

    @Test(
        arguments: [
            ([.reload], "no-cache"), ([.onlyIfCached, .maxStale()], "only-if-cached, max-stale"),
            ([.maxStale(.milliseconds(1_999))], "max-stale=1"), ([.maxStale(.seconds(-1))], "max-stale=0"),
            ([.maxAge(.zero)], "max-age=0"), ([.noStore], "no-store"),
        ] as [([HTTPCacheDirective], String)]
    )
    func `directives are written in the syntax of the RFC`(directives: [HTTPCacheDirective], value: String) {
        #expect(directives.map(\.description).joined(separator: ", ") == value)
    }

    @Test func `a message sets directives in its fields`() {
        #expect(HTTPFields.cacheControl(.reload, .noStore) == [.cacheControl: "no-cache, no-store"])
    }
}
