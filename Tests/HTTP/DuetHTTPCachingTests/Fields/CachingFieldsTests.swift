import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Sections 5.1 and 5.3, Age, Date, Expires and Last-Modified")
struct CachingFieldsTests {
    private func fields(_ lines: String...) -> CachingFields {
        CachingFields(Exchange.fields(lines), received: Exchange.start)
    }

    @Test(arguments: [
        (["7200"], 7200), (["007200"], 7200), (["2147483647"], DeltaSeconds.limit),
        (["2147483648"], DeltaSeconds.limit),
        (["9223372036854775808"], DeltaSeconds.limit), (["7200, 0"], 7200), (["0, 7200"], 0), (["7200", "0"], 7200),
        (["0", "7200"], 0), ([" 7 "], 7), ([], 0), (["abc"], 0), (["-7200"], 0), (["7200.0"], 0), (["7200;foo=bar"], 0),
        (["\"7200\""], 0), ([""], 0), (["", "5"], 0), (["+1"], 0),
    ])
    func `section 5.1: the first number of the first line is the age`(lines: [String], seconds: Int) {
        let fields = CachingFields(Exchange.fields(lines.map { "Age: \($0)" }), received: Exchange.start)
        #expect(fields.age == seconds)
    }

    @Test(arguments: ["Thu, 18 Aug 2050 02:01:18 GMT", "Thursday, 18-Aug-50 02:01:18 GMT", "Thu Aug 18 02:01:18 2050"])
    func `section 5.3: each date format is parsed, in any case`(text: String) {
        let date = Date(timeIntervalSince1970: 2_544_400_878)
        #expect(fields("Expires: \(text)").expires == date)
        #expect(fields("Expires: \(text.uppercased())").expires == date)
        #expect(fields("Last-Modified: \(text.lowercased())").lastModified == date)
        #expect(fields("Date: \(text)").date == date)
    }

    @Test(arguments: [
        "0", "-1", "", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Sat, 01 Jan 10000 00:00:00 GMT",
        "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT",
    ])
    func `section 5.3: an invalid date has expired`(text: String) {
        #expect(fields("Expires: \(text)").expires == .distantPast)
    }

    @Test func `the first of several lines applies, and no line means no date`() {
        #expect(fields("Expires: @10", "Expires: @20").expires == Exchange.date(10))
        #expect(fields("Expires: 0", "Expires: @20").expires == .distantPast)
        #expect(fields().expires == nil)
        #expect(fields("Last-Modified: x").lastModified == nil)
    }

    @Test func `RFC 9110, section 6.6.1: without a valid date, the time of receipt applies`() {
        #expect(fields("Date: @-7").date == Exchange.date(-7))
        #expect(fields("Date: foo").date == Exchange.start)
        #expect(fields().date == Exchange.start)
    }

    @Test(arguments: [
        ("\"a\"", false), ("W/\"a\"", true), ("w/\"a\"", true), ("a", true), ("W/a", true), ("\"\"", false),
        ("W/\"\"", true),
    ])
    func `RFC 9110, section 8.8.3: a tag is weak if it is marked or misspelled`(text: String, isWeak: Bool) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag.isWeak == isWeak)
        #expect(tag.bytes == Array(text.utf8))
        #expect(tag.matchesWeakly(tag))
        #expect(tag.matchesStrongly(tag) == !isWeak)
    }

    @Test(arguments: ["\"\u{FFFD}\"", "W/\"\u{FFFD}\"", "\"a\u{FFFD}b\"", "\u{FFFD}"])
    func `a tag with lost bytes is not a validator`(text: String) throws {
        #expect(EntityTag(text) == nil)
        let lines = ["Cache-Control: max-age=60", "ETag: \(text)", "Last-Modified: @-9"]
        let stored = try Exchange(lines).stored()
        #expect(stored.response.headerFields[.eTag] == text)
        let request = Fetch(validating: stored, for: Exchange.request("If-None-Match: \(text)"), reason: .stale).request
        #expect(!request.headerFields.contains(.ifNoneMatch))
        #expect(request.headerFields.contains(.ifModifiedSince))
        let hit = HTTPCachePolicy().confirmedHit(of: stored, at: Exchange.start)
        for (line, status) in [("If-None-Match: \(text)", 200), ("If-None-Match: *", 304)] {
            #expect(hit.head(for: Exchange.request(line)).status.code == status)
        }
    }

    @Test(arguments: [
        ("\"1\"", "\"1\"", true, true), ("W/\"1\"", "\"1\"", false, true), ("W/\"1\"", "W/\"1\"", false, true),
        ("W/\"1\"", "W/\"2\"", false, false), ("\"1\"", "\"2\"", false, false), ("\"a\"", "\"A\"", false, false),
        ("a", "\"a\"", false, true), ("\"\u{e9}\"", "\"e\u{301}\"", false, false), (" \"1\" ", "\"1\"", true, true),
    ])
    func `RFC 9110, section 8.8.3.2: tags are compared`(first: String, second: String, strongly: Bool, weakly: Bool)
        throws
    {
        let (first, second) = (try #require(EntityTag(first)), try #require(EntityTag(second)))
        #expect(first.matchesStrongly(second) == strongly && second.matchesStrongly(first) == strongly)
        #expect(first.matchesWeakly(second) == weakly && second.matchesWeakly(first) == weakly)
    }

    @Test func `RFC 9110, section 8.8.3: a tag is sent back byte for byte`() throws {
        func stored(_ byte: UInt8) throws -> StoredResponse {
            var exchange = Exchange(["Cache-Control: max-age=60"])
            exchange.response.headerFields[fields: .eTag] = [HTTPField(name: .eTag, value: [0x22, byte, 0x22])]
            return try exchange.stored()
        }
        let (first, second) = (try stored(0xE9), try stored(0xE8))
        #expect(first.fields.entityTag != second.fields.entityTag)
        let request = Fetch(validating: first, for: Exchange.request(), reason: .stale).request
        #expect(
            request.headerFields[fields: .ifNoneMatch] == [HTTPField(name: .ifNoneMatch, value: [0x22, 0xE9, 0x22])]
        )
        let hit = try #require(HTTPCachePolicy().lookup(in: [second], for: request, at: Exchange.start).hit)
        #expect(hit.head(for: request).status == .ok)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random bytes do not trap, and every number stays within its bounds`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let names = ["Age", "Date", "Expires", "Last-Modified", "ETag", "Cache-Control", "Vary"]
        for _ in 1...2000 {
            let lines = names.map { "\($0): \(generator.fieldValue())" }
            let fields = CachingFields(Exchange.fields(lines), received: Exchange.start)
            #expect((0...DeltaSeconds.limit).contains(fields.age), "seed \(seed): \(lines)")
            #expect((0...DeltaSeconds.limit).contains(fields.control.maxAge ?? 0), "seed \(seed): \(lines)")
        }
    }
}
