import DuetHTTPCaching
import HTTPTypes
import Testing

@Suite("Section 5.2, Cache-Control")
struct CacheControlTests {
    @Test(arguments: [
        ("max-age=3600", 3600), ("MaX-aGe=3600", 3600), ("max-age=003600", 3600), ("max-age=\"3600\"", 3600),
        ("max-age=\"36\\00\"", 3600), ("max-age=0", 0), ("foobar, max-age=3600", 3600),
        ("max-age=3600, foobar=x", 3600),
        ("  max-age=3600\t", 3600), (",, max-age=3600 ,", 3600), ("max-age=3600,no-transform", 3600),
        // Section 1.2.2: a larger number than fits counts as the largest.
        ("max-age=2147483646", 2_147_483_646), ("max-age=2147483647", 2_147_483_647),
        ("max-age=2147483648", 2_147_483_647), ("max-age=99999999999", 2_147_483_647),
        ("max-age=9223372036854775808", 2_147_483_647),
        ("max-age=" + String(repeating: "9", count: 5000), 2_147_483_647),
        // Section 4.2.1: with an invalid number, the response is stale.
        ("max-age", 0), ("max-age=", 0), ("max-age=\"\"", 0), ("max-age=-3600", 0), ("max-age=+3600", 0),
        ("max-age='3600'", 0), ("max-age=3600.0", 0), ("max-age=3600.5", 0), ("max-age=a3600", 0), ("max-age=3600a", 0),
        ("max-age =3600", 0), ("max-age= 3600", 0), ("max-age = 3600", 0), ("max-age=3600 s", 0), ("max-age=٣", 0),
        ("max-age=\"3600", 0), ("max-age=3600\"", 0), ("max-age=\"3600\"0", 0), ("max-age=3600;x=y", 0),
        // Section 4.2.1: the first of several directives applies.
        ("max-age=1800, max-age=1", 1800), ("max-age=1, max-age=1800", 1), ("max-age=x, max-age=1800", 0),
        // Quoted text is not a directive.
        ("extension=\"max-age=3600\", max-age=1", 1), ("max-age=1, extension=\"max-age=3600\"", 1),
        ("extension=\"a, max-age=3600, b\", max-age=1", 1), ("extension=\"a\\\", max-age=3600\", max-age=1", 1),
    ])
    func `max-age is a number of seconds`(value: String, seconds: Int) {
        #expect(CacheControl([value]).maxAge == seconds)
    }

    @Test(arguments: [
        "", ",", "no-cache", "max_age=3600", "max-ages=3600", "xmax-age=3600", "extension=\"max-age=3600\"", "=3600",
        "max age=3600", "\"max-age=3600\"", "max-age\u{0}=3600",
    ])
    func `a directive that only resembles max-age is ignored`(value: String) {
        #expect(CacheControl([value]).maxAge == nil)
    }

    @Test func `the directives of all lines apply, and the first of several numbers`() {
        let control = CacheControl(["stale-if-error=3600", "max-age=1, no-transform", "", "max-age=2, must-revalidate"])
        #expect(control.staleIfError == 3600)
        #expect(control.maxAge == 1)
        #expect(control.mustRevalidate)
    }

    @Test(arguments: ["no-store", "No-StOrE", "max-age=60, no-store", "no-store=x", "no-store =x", "x=\"a, no-store"])
    func `no-store is recognized in every spelling`(value: String) {
        #expect(CacheControl([value]).noStore)
    }

    @Test(arguments: ["no-stored", "x=\"no-store\"", "x=\"a, no-store\"", "no store", "x=no-store"])
    func `no-store is not recognized in other text`(value: String) {
        #expect(!CacheControl([value]).noStore)
    }

    @Test func `every directive without an argument is recognized`() {
        #expect(CacheControl(["public"]).isPublic)
        #expect(CacheControl(["must-revalidate"]).mustRevalidate)
        #expect(CacheControl(["must-understand"]).mustUnderstand)
        #expect(CacheControl(["immutable"]).immutable)
        #expect(CacheControl(["only-if-cached"]).onlyIfCached)
        #expect(CacheControl(["no-cache"]).noCache == .response)
        #expect(CacheControl(["private"]).isPrivate)
    }

    @Test func `every directive with a number is recognized`() {
        #expect(CacheControl(["min-fresh=2"]).minFresh == 2)
        #expect(CacheControl(["max-stale=3"]).maxStale == 3)
        #expect(CacheControl(["stale-if-error=5"]).staleIfError == 5)
    }

    @Test(arguments: [("max-stale", DeltaSeconds.limit), ("max-stale=", 0), ("max-stale=x", 0), ("max-stale=10", 10)])
    func `max-stale alone accepts any age, and with an invalid number no stale response`(value: String, seconds: Int) {
        #expect(CacheControl([value]).maxStale == seconds)
    }

    @Test(arguments: [
        ("no-cache=\"a\"", FieldNames.fields([.a])), ("no-cache=\"A, b\"", .fields([.a, .b])),
        ("no-cache=a", .fields([.a])), ("no-cache=\" , a ,\"", .fields([.a])),
        ("no-cache=\"a\", no-cache=\"b\"", .fields([.a, .b])), ("no-cache=\"a\", no-cache", .response),
        ("no-cache, no-cache=\"a\"", .response), ("no-cache=\"\"", .response), ("no-cache=", .response),
        ("no-cache=\",\"", .response), ("no-cache=\"a b\"", .response), ("no-cache =\"a\"", .response),
        ("no-cache=\"a", .response),
    ])
    func `names of fields narrow no-cache, unless they are invalid`(value: String, names: FieldNames) {
        #expect(CacheControl([value]).noCache == names)
        #expect(CacheControl([value.replacing("no-cache", with: "private")]).isPrivate)
    }

    @Test(.timeLimit(.minutes(5)))
    func `the time to parse tens of thousands of names grows linearly`() {
        let line = (1...50_000).map { "no-cache=a\($0)" }.joined(separator: ",")
        #expect(CacheControl([line]).noCache?.names.count == 50_000)
    }
}

extension HTTPField.Name {
    static let a = HTTPField.Name("a") ?? .age
    static let b = HTTPField.Name("b") ?? .age
}
