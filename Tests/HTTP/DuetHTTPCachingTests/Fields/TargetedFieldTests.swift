import DuetHTTPCaching
import DuetTesting
import HTTPTypes
import Testing

@Suite("RFC 9213, targeted fields")
struct TargetedFieldTests {
    @Test(arguments: [
        ("max-age=3600", 3600), ("foobar, max-age=3600", 3600), ("max-age=3600;x=y", 3600), ("max-age=1, max-age=2", 2),
        ("max-age=99999999999", DeltaSeconds.limit), ("max-age=999999999999999", DeltaSeconds.limit), ("max-age=0", 0),
        ("foo=(1 2), max-age=5", 5),
    ])
    func `section 2.1: it is a dictionary`(value: String, seconds: Int) throws {
        #expect(try #require(CacheControl(targeted: [value])).maxAge == seconds)
    }

    @Test(arguments: [
        "", " ", "max-age=10000, &&&&&", "MaX-aGe=3600", "max-age =100", "max-age= 100", "max-age=100,", ",max-age=100",
        "max-age='1'", "max-age=1000000000000000", "no-store, no-cache=\"a",
        // The value has another type than that of the directive.
        "max-age=\"10000\"", "max-age=1.5", "max-age=-1", "max-age", "max-age=abc", "max-age=(1)", "no-store=1",
        "no-store=\"x\"", "private=3", "no-cache=:YQ==:",
    ])
    func `section 2.1: an invalid field is ignored as a whole`(value: String) {
        #expect(CacheControl(targeted: [value]) == nil)
    }

    @Test func `section 2.1: a field longer than 1 kB is not parsed, and forbids storing`() {
        let fits = "max-age=1, a=\"" + String(repeating: "x", count: 1024 - 15) + "\""
        #expect(CacheControl(targeted: [fits])?.noStore == false)
        #expect(CacheControl(targeted: [fits])?.maxAge == 1)
        #expect(CacheControl(targeted: [fits + " "])?.noStore == true)
    }

    @Test func `section 2.1: each directive is parsed, lines are joined, and false means absent`() throws {
        let control = try #require(
            CacheControl(targeted: [
                "no-store=?0, no-cache=\"a, b\", private=a, s-maxage=1", "must-revalidate, immutable, public",
                "stale-while-revalidate=2, stale-if-error=3, must-understand, proxy-revalidate",
            ])
        )
        #expect(!control.noStore)
        #expect(control.noCache == .fields([.a, .b]))
        #expect(control.isPrivate == .fields([.a]))
        #expect(control.sharedMaxAge == 1)
        #expect(control.staleWhileRevalidate == 2)
        #expect(control.staleIfError == 3)
        #expect(control.mustRevalidate && control.immutable && control.isPublic)
        #expect(control.mustUnderstand && control.proxyRevalidate)
    }

    @Test(arguments: [
        (["CDN-Cache-Control: max-age=10", "Cache-Control: max-age=20"], 10),
        (["CDN-Cache-Control: max-age=x", "Cache-Control: max-age=20"], 20),
        (["Other-Cache-Control: max-age=10", "Cache-Control: max-age=20"], 20),
        // Section 2.2: it replaces both Cache-Control and Expires.
        (["CDN-Cache-Control: foo", "Cache-Control: max-age=20", "Date: @0", "Expires: @30"], 0),
    ])
    func `section 2.2: it replaces Cache-Control in a cache that it targets`(lines: [String], seconds: Int) {
        let fields = CachingFields(Exchange.fields(lines), received: Exchange.start)
        #expect(HTTPCachePolicy.shared.freshnessLifetime(of: fields, status: 200).seconds == seconds)
    }

    @Test func `section 2.2: the first of several targeted fields applies`() throws {
        let names = try ["First-Cache-Control", "Second-Cache-Control"].map { try #require(HTTPField.Name($0)) }
        let policy = HTTPCachePolicy(.shared, targetedFields: names)
        let both = Exchange.fields(["Second-Cache-Control: max-age=2", "First-Cache-Control: max-age=1"])
        let second = Exchange.fields(["Second-Cache-Control: max-age=2", "First-Cache-Control: ?"])
        func lifetime(_ fields: HTTPFields) -> Int {
            policy.freshnessLifetime(of: CachingFields(fields, received: Exchange.start), status: 200).seconds
        }
        #expect(lifetime(both) == 1)
        #expect(lifetime(second) == 2)
    }

    @Test func `section 2.2: a field with another name targets no cache`() throws {
        let names = try ["CDN-Cache-Control", "Surrogate-Control", "Cache-Control", "CDN-Cache-Control-X"].map {
            try #require(HTTPField.Name($0))
        }
        var policy = HTTPCachePolicy(.shared, targetedFields: names)
        #expect(policy.targetedFields == [names[0]])
        policy.targetedFields = Array(names.reversed())
        #expect(policy.targetedFields == [names[0]])
        #expect(policy == .shared)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random bytes do not trap`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 1...3000 {
            _ = CacheControl(targeted: [generator.fieldValue(), generator.fieldValue(pieces: 2)])
        }
    }
}
