import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 5.2.2, directives of responses, and section 4.2.4, stale responses")
struct ResponseDirectiveTests {
    @Test(
        arguments: [
            ("max-age=60, no-cache", "a=b", 0, Outcome.validate(.stale)),
            ("max-age=60, No-CaChE", "a=b", 0, .validate(.stale)),
            ("max-age=60, no-cache", "max-stale", 0, .validate(.stale)),
            ("max-age=60, no-cache=\"a\"", "a=b", 0, .fresh),
            ("max-age=60, must-revalidate", "a=b", 59, .fresh),
            ("max-age=60, must-revalidate", "max-stale", 60, .validate(.stale)),
            // Directives for a shared cache, or for one that validates in the background.
            ("max-age=60, proxy-revalidate", "max-stale", 60, .stale), ("max-age=60, s-maxage=1", "a=b", 59, .fresh),
            ("max-age=60, stale-while-revalidate=10", "a=b", 59, .fresh),
            ("max-age=60, stale-while-revalidate=10", "a=b", 60, .validate(.stale)),
            // RFC 8246, section 2.
            ("max-age=60, immutable", "max-age=0", 59, .fresh),
            ("max-age=60, immutable", "no-cache", 59, .validate(.request)),
            ("max-age=60, immutable", "a=b", 60, .validate(.stale)),
            ("max-age=60, immutable", "max-stale", 61, .stale),
            ("max-age=60, immutable", "max-age=0, min-fresh=10", 50, .fresh),
            ("max-age=60, immutable", "min-fresh=10", 51, .validate(.request)),
            // Of contradictory directives, the stricter applies, and of two numbers the first.
            ("max-age=60, max-age=600", "a=b", 60, .validate(.stale)), ("max-age=600, max-age=60", "a=b", 60, .fresh),
            ("max-age=60, no-cache, immutable", "a=b", 0, .validate(.stale)),
            ("max-age=60, no-cache=\"a\", no-cache", "a=b", 0, .validate(.stale)),
            ("max-age=60, must-revalidate, stale-if-error=60", "max-stale", 60, .validate(.stale)),
        ] as [(String, String, Double, Outcome)]
    )
    func `response directives bind the cache`(value: String, request: String, seconds: Double, outcome: Outcome)
        throws
    {
        #expect(try DuetHTTPCachingTests.outcome("Cache-Control: \(value)", asking: request, after: seconds) == outcome)
    }

    @Test func `section 5.2.2.6: responses are never transformed`() throws {
        let lines = ["Cache-Control: max-age=60, no-transform", "Content-Encoding: gzip", "Content-Type: text/plain"]
        let stored = try Exchange(lines).stored()
        let hit = try #require(
            HTTPCachePolicy().lookup(in: [stored], for: Exchange.request(), at: Exchange.start).hit
        )
        let fields = hit.head(for: Exchange.request()).headerFields
        for name in [HTTPField.Name.cacheControl, .contentEncoding, .contentType] {
            #expect(fields[name] == Exchange.fields(lines)[name])
        }
    }

    @Test func `section 5.2.2.4: fields that no-cache names are omitted until the response is validated`() throws {
        let stored = try Exchange(["Cache-Control: max-age=60, no-cache=\"a, b\"", "a: 1", "b: 2", "c: 3"]).stored()
        let hit = try #require(
            HTTPCachePolicy().lookup(in: [stored], for: Exchange.request(), at: Exchange.start).hit
        )
        let fields = hit.head(for: Exchange.request()).headerFields
        #expect(!fields.contains(.a) && !fields.contains(.b))
        #expect(fields.contains(where: { $0.name.canonicalName == "c" }))
        let confirmed = HTTPCachePolicy().confirmedHit(of: stored, at: Exchange.start)
        #expect(confirmed.head(for: Exchange.request()).headerFields[.a] == "1")
    }

    @Test(
        arguments: [
            // Without a directive, the limit of the policy applies, here 100 seconds.
            ("max-age=60", "a=b", 60, true), ("max-age=60", "a=b", 160, true), ("max-age=60", "a=b", 161, false),
            // RFC 5861, section 4, in responses and in requests.
            ("max-age=60, stale-if-error=10", "a=b", 70, true), ("max-age=60, stale-if-error=10", "a=b", 71, false),
            ("max-age=60, stale-if-error=1000", "a=b", 1060, true), ("max-age=60", "stale-if-error=10", 70, true),
            ("max-age=60", "stale-if-error=10", 71, false),
            ("max-age=60, stale-if-error=10", "stale-if-error=5", 66, false),
            ("max-age=60, stale-if-error=0", "a=b", 60, false), ("max-age=60, stale-if-error=x", "a=b", 61, false),
            ("max-age=60, must-revalidate", "a=b", 60, false),
            ("max-age=60, must-revalidate, stale-if-error=60", "a=b", 60, false),
            ("max-age=60, no-cache", "a=b", 0, false), ("max-age=60", "no-cache", 0, false),
            // Section 5.2.1.1: the request's max-age applies even if the origin fails.
            ("max-age=60", "max-age=0", 0, false), ("max-age=60", "max-age=0", 60, false),
            ("max-age=60", "max-age=70", 70, true), ("max-age=60", "max-age=70", 71, false),
            ("max-age=60, stale-if-error=60", "max-age=70, stale-if-error=60", 71, false),
            // Section 5.2.1.3: so does its min-fresh.
            ("max-age=60", "min-fresh=0", 60, true), ("max-age=60", "min-fresh=1", 60, false),
        ] as [(String, String, Double, Bool)]
    )
    func `a stale response replaces a failure of the origin`(
        value: String,
        request: String,
        seconds: Double,
        standsIn: Bool
    ) throws {
        let policy = HTTPCachePolicy(staleOnFailureLimit: .seconds(100))
        let stored = try Exchange(["Cache-Control: \(value)", "ETag: \"a\""]).stored(policy)
        let hit = policy.reuseAfterFailure(
            of: stored,
            for: Exchange.request("Cache-Control: \(request)"),
            at: Exchange.date(seconds)
        )
        #expect((hit != nil) == standsIn)
    }

    @Test func `with a limit of zero, no stale response replaces a failure`() throws {
        let policy = HTTPCachePolicy(staleOnFailureLimit: .zero)
        let stored = try Exchange(["Cache-Control: max-age=2"]).stored(policy)
        #expect(policy.reuseAfterFailure(of: stored, for: Exchange.request(), at: Exchange.date(1))?.outcome == .fresh)
        #expect(policy.reuseAfterFailure(of: stored, for: Exchange.request(), at: Exchange.date(2)) == nil)
    }

    @Test(arguments: [
        (500, true), (501, false), (502, true), (503, true), (504, true), (505, false), (404, false), (200, false),
    ])
    func `some responses are failures`(status: Int, isFailure: Bool) {
        #expect(StatusCode.isFailure(status) == isFailure)
    }
}
