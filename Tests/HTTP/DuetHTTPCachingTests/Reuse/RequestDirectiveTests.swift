import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 5.2.1, directives of requests")
struct RequestDirectiveTests {
    /// Looks up a response that is fresh for 60 seconds.
    private func expect(_ outcome: Outcome, _ value: String, after seconds: Double) throws {
        #expect(try DuetHTTPCachingTests.outcome("Cache-Control: max-age=60", asking: value, after: seconds) == outcome)
    }

    @Test(
        arguments: [
            ("max-age=0", 0, Outcome.validate(.request)), ("max-age=9", 9, .fresh),
            ("max-age=10", 11, .validate(.request)),
            ("max-age=10", 10, .fresh), ("max-age=100", 60, .validate(.stale)), ("max-age=x", 1, .validate(.request)),
            ("max-age=0, max-age=100", 1, .validate(.request)), ("max-age=0, max-stale", 60, .validate(.stale)),
        ] as [(String, Double, Outcome)]
    )
    func `section 5.2.1.1: max-age`(value: String, seconds: Double, outcome: Outcome) throws {
        try expect(outcome, value, after: seconds)
    }

    @Test(
        arguments: [
            ("max-stale=10", 70, .stale), ("max-stale=10", 71, .validate(.stale)), ("max-stale", 1e9, .stale),
            ("max-stale=0", 60, .stale), ("max-stale=0", 61, .validate(.stale)),
            ("max-stale=x", 61, .validate(.stale)),
            ("max-stale=10", 59, .fresh), ("max-age=65, max-stale=10", 65, .stale),
            ("max-age=65, max-stale=10", 66, .validate(.stale)),
        ] as [(String, Double, Outcome)]
    )
    func `section 5.2.1.2: max-stale`(value: String, seconds: Double, outcome: Outcome) throws {
        try expect(outcome, value, after: seconds)
    }

    @Test(
        arguments: [("max-stale=3", 63, .stale), ("max-stale=3", 64, .validate(.stale))]
            as [(String, Double, Outcome)]
    )
    func `the client's max-stale also limits staleness that the origin allows`(
        value: String,
        seconds: Double,
        outcome: Outcome
    ) throws {
        #expect(
            try DuetHTTPCachingTests.outcome("Cache-Control: max-age=60", asking: value, after: seconds) == outcome
        )
        let stored = try Exchange(["Cache-Control: max-age=60, stale-if-error=100"]).stored()
        let hit = HTTPCachePolicy().reuseAfterFailure(
            of: stored,
            for: Exchange.request("Cache-Control: \(value)"),
            at: Exchange.date(seconds)
        )
        #expect((hit != nil) == (outcome == .stale))
    }

    @Test(
        arguments: [
            ("min-fresh=10", 50, .fresh), ("min-fresh=10", 51, .validate(.request)),
            ("min-fresh=100", 0, .validate(.request)),
            ("min-fresh=x", 59, .fresh), ("min-fresh=1, max-stale", 61, .validate(.stale)),
        ] as [(String, Double, Outcome)]
    )
    func `section 5.2.1.3: min-fresh`(value: String, seconds: Double, outcome: Outcome) throws {
        try expect(outcome, value, after: seconds)
    }

    @Test(
        arguments: [
            ("no-cache", 0, .validate(.request)), ("no-cache", 60, .validate(.stale)),
            ("no-cache, max-stale", 60, .validate(.stale)),
            ("no-cache, max-age=100", 0, .validate(.request)),
        ] as [(String, Double, Outcome)]
    )
    func `section 5.2.1.4: no-cache`(value: String, seconds: Double, outcome: Outcome) throws {
        try expect(outcome, value, after: seconds)
    }

    @Test(arguments: [("no-store", 0), ("no-store", 60), ("no-store, max-stale", 60)] as [(String, Double)])
    func `section 5.2.1.5: no-store`(value: String, seconds: Double) throws {
        try expect(.forward(.request), value, after: seconds)
    }

    @Test(
        arguments: [
            ("only-if-cached", 0, .fresh), ("only-if-cached", 60, .gatewayTimeout),
            ("only-if-cached, max-stale", 60, .stale),
            ("only-if-cached, no-cache", 0, .gatewayTimeout), ("only-if-cached, no-store", 0, .fresh),
        ] as [(String, Double, Outcome)]
    )
    func `section 5.2.1.7: only-if-cached`(value: String, seconds: Double, outcome: Outcome) throws {
        try expect(outcome, value, after: seconds)
    }

    @Test(arguments: ["no-transform", "immutable, foo=bar"])
    func `section 5.2.1.6: no-transform and unknown directives have no effect`(
        value: String
    ) throws {
        try expect(.fresh, value, after: 0)
    }

    @Test func `directives of the request include the Age of the response`() throws {
        #expect(
            try outcome("Cache-Control: max-age=3600", "Age: 1800", asking: "max-age=600", after: 0)
                == .validate(.request)
        )
        #expect(
            try outcome("Cache-Control: max-age=1500", "Age: 1000", asking: "min-fresh=1000", after: 0)
                == .validate(.request)
        )
        #expect(
            try outcome("Cache-Control: max-age=1500", "Age: 2000", asking: "max-stale=1000", after: 0) == .stale
        )
    }

    @Test func `only-if-cached without anything stored is a gateway timeout`() {
        let request = Exchange.request("Cache-Control: only-if-cached")
        #expect(HTTPCachePolicy().lookup(in: [], for: request, at: Exchange.start) == .gatewayTimeout)
    }
}
