import DuetHTTPCaching
import HTTPTypes
import Testing

struct CacheStatusReadingTests {
    @Test(arguments: [
        CacheStatus(hit: true, ttl: -30),
        CacheStatus(forward: .stale, forwardStatus: 304, ttl: 600, stored: true, collapsed: true),
        CacheStatus(cache: "my cache, \"mine\"", forward: .bypass, key: "a;b", detail: "x y"),
        CacheStatus(cache: "a.example/b", detail: "word"),
    ])
    func `a written status can be read back`(status: CacheStatus) {
        var response = HTTPResponse(status: .ok, headerFields: [.cacheStatus: "Origin; hit"])
        status.append(to: &response.headerFields)
        #expect(response.cacheStatus == status)
    }

    @Test(
        arguments: [
            ("", nil), (";", nil), ("\"open", nil), ("12; hit", nil),
            ("A; hit, B; fwd=miss", CacheStatus(cache: "B", forward: .miss)),
            ("A; hit=?0; ttl=x; fwd=never; other=1", CacheStatus(cache: "A")),
        ] as [(String, CacheStatus?)]
    )
    func `the last member of a line is parsed, except for invalid parameters`(line: String, status: CacheStatus?) {
        #expect(HTTPResponse(status: .ok, headerFields: [.cacheStatus: line]).cacheStatus == status)
    }

    @Test(arguments: [
        (CacheStatus(hit: true), true), (CacheStatus(hit: true, ttl: -5), true),
        (CacheStatus(forward: .stale, forwardStatus: 304, stored: true), true),
        (CacheStatus(forward: .stale, forwardStatus: 503, detail: "origin-failed"), true),
        (CacheStatus(forward: .stale, ttl: -5, detail: "origin-failed"), true),
        (CacheStatus(forward: .stale, stored: true), false), (CacheStatus(forward: .uriMiss, stored: true), false),
        (CacheStatus(forward: .partial, forwardStatus: 206, stored: true), false),
        (CacheStatus(forward: .bypass, detail: "target"), false), (CacheStatus(detail: "only-if-cached"), false),
    ])
    func `stored responses are distinguished from fetched ones`(status: CacheStatus, isFromCache: Bool) {
        #expect(status.isFromCache == isFromCache)
    }
}
