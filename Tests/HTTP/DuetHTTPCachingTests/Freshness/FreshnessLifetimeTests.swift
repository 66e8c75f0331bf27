import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.2.1, freshness lifetime")
struct FreshnessLifetimeTests {
    private typealias Source = FreshnessLifetime.Source

    private func lifetime(
        _ lines: [String],
        _ policy: HTTPCachePolicy = HTTPCachePolicy(),
        status: Int = 200
    ) -> FreshnessLifetime {
        policy.freshnessLifetime(of: CachingFields(Exchange.fields(lines), received: Exchange.start), status: status)
    }

    @Test(arguments: [
        (["Cache-Control: s-maxage=10, max-age=20"], 20), (["Cache-Control: s-maxage=10"], 0),
        (["Cache-Control: max-age=20", "Date: @0", "Expires: @-10"], 20),
        (["Cache-Control: max-age=20", "Expires: 0"], 20),
        (["Cache-Control: max-age=0", "Date: @0", "Expires: @60"], 0),
        (["Date: @0", "Expires: @60"], 60), (["Date: @-10", "Expires: @10"], 20), (["Date: @400", "Expires: @300"], 0),
        (["Date: foo", "Expires: @10"], 10), (["Expires: @10"], 10), (["Expires: 0", "Last-Modified: @-1000"], 0),
        (["Date: Sat, 01 Jan 0000 00:00:00 GMT", "Expires: Fri, 31 Dec 9999 23:59:59 GMT"], DeltaSeconds.limit),
        (["Expires: Sun, 21 Nov 2286 04:46:39 GMT"], DeltaSeconds.limit), ([], 0),
    ])
    func `the first declared lifetime applies`(lines: [String], seconds: Int) {
        #expect(lifetime(lines).seconds == seconds)
    }

    @Test func `the source of the lifetime is known`() {
        #expect(lifetime(["Cache-Control: max-age=1"]).source == .maxAge)
        #expect(lifetime(["Expires: @1"]).source == .expires)
        #expect(lifetime(["Last-Modified: @-1"]).source == .heuristic)
        #expect(lifetime([]).source == .none)
    }

    @Test(arguments: [
        (-5, 0), (-9, 0), (-10, 1), (-30, 3), (-3600, 360), (-86_400, 8640), (-863_990, 86_399), (-864_000, 86_400),
        (-864_010, 86_400), (-100_000_000, 86_400), (0, 0), (10, 0),
    ])
    func `section 4.2.2: a tenth of the time since Last-Modified, at most a day`(modified: Int, seconds: Int) {
        #expect(lifetime(["Date: @0", "Last-Modified: @\(modified)"]).seconds == seconds)
    }

    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
    func `section 4.2.2: some status codes have a heuristic lifetime`(status: Int) {
        #expect(lifetime(["Last-Modified: @-1000"], status: status).seconds == 100)
    }

    @Test(arguments: [201, 202, 206, 302, 303, 307, 400, 403, 500, 502, 503, 504, 599])
    func `section 4.2.2: other status codes have one only with public`(status: Int) {
        #expect(lifetime(["Last-Modified: @-1000"], status: status).seconds == 0)
        #expect(lifetime(["Last-Modified: @-1000", "Cache-Control: public"], status: status).seconds == 100)
    }

    @Test func `section 4.2.2: share and limit can be set, and meaningless values are harmless`() {
        let lines = ["Last-Modified: @-1000"]
        #expect(lifetime(lines, HTTPCachePolicy(heuristicShare: 0)).seconds == 0)
        #expect(lifetime(lines, HTTPCachePolicy(heuristicShare: 0.5)).seconds == 500)
        #expect(lifetime(lines, HTTPCachePolicy(heuristicLimit: .seconds(7))).seconds == 7)
        #expect(lifetime(lines, HTTPCachePolicy(heuristicShare: -1)).seconds == 0)
        #expect(lifetime(lines, HTTPCachePolicy(heuristicShare: .nan)).seconds == 0)
        #expect(
            lifetime(lines, HTTPCachePolicy(heuristicShare: .infinity, heuristicLimit: .seconds(Int64.max))).seconds
                == DeltaSeconds.limit
        )
        #expect(lifetime(lines, HTTPCachePolicy(heuristicLimit: .seconds(-1))).seconds == 0)
    }
}
