import DuetHTTPCaching
import Foundation
import HTTPTypes
import Testing

@Suite("Section 4.1, Vary")
struct VaryTests {
    private func matches(_ vary: [String], _ stored: [String], _ presented: [String]) -> Bool {
        let fields = Exchange.fields(vary.map { "Vary: \($0)" })
        return SelectingFields(fields, of: Exchange(.get, "/", stored).request).matches(
            Exchange(.get, "/", presented).request
        )
    }

    @Test(
        arguments: [
            ([], ["Foo: 1"], ["Foo: 2"], true), (["Foo"], ["Foo: 1"], ["Foo: 1"], true),
            (["foo"], ["FOO: 1"], ["Foo: 1"], true),
            (["Foo"], ["Foo: 1"], ["Foo: 2"], false), (["Foo"], ["Foo: 1"], [], false),
            (["Foo"], [], ["Foo: 1"], false),
            (["Foo"], [], [], true), (["Foo"], ["Foo:"], [], false),
            (["Foo"], ["Foo: 1", "Other: 2"], ["Foo: 1", "Other: 3"], true),
            (["Foo, Bar"], ["Foo: 1", "Bar: abc"], ["Bar: abc", "Foo: 1"], true),
            (["Foo, Bar"], ["Foo: 1", "Bar: abc"], ["Foo: 2", "Bar: abc"], false),
            (["Foo", "Bar"], ["Foo: 1", "Bar: abc"], ["Foo: 1", "Bar: abcde"], false),
            (["Foo, Bar, Baz"], ["Foo: 1", "Baz: 7"], ["Foo: 1", "Baz: 7"], true),
            ([",Foo,,"], ["Foo: 1"], ["Foo: 1"], true), ([""], ["Foo: 1"], ["Foo: 2"], true),
            // Lines are combined, and white space around commas makes no difference.
            (["Foo"], ["Foo: 1, 2"], ["Foo: 1", "Foo: 2"], true), (["Foo"], ["Foo: 1,2"], ["Foo:  1, 2 "], true),
            (["Foo"], ["Foo: 1,2"], ["Foo: 2,1"], false), (["Foo"], ["Foo: a"], ["Foo: A"], false),
            (["Foo"], ["Foo: \"1, 2\""], ["Foo: \"1,2\""], false), (["Foo"], ["Foo: a b"], ["Foo: a  b"], false),
            // In a field that may not be a list, an empty member may be significant.
            (["Foo"], ["Foo: a,,b"], ["Foo: a,b"], false), (["Foo"], ["Foo: a,"], ["Foo: a"], false),
            (["Accept"], ["Accept: a,,b,"], ["Accept: a,b"], true),
            // In a field that is known not to be a list, spaces are significant too.
            (["Cookie"], ["Cookie: a=b , c"], ["Cookie: a=b,c"], false),
            (["User-Agent"], ["User-Agent: a (b, c)"], ["User-Agent: a (b,c)"], false),
            (["Cookie"], ["Cookie: a=b, c"], ["Cookie: a=b, c"], true),
            (["Cookie"], ["Cookie: a=b", "Cookie: c"], ["Cookie: a=b,c"], false),
            // Bytes are compared, and not characters.
            (["Foo"], ["Foo: \u{e9}"], ["Foo: e\u{301}"], false), (["Foo"], ["Foo: \u{e9}"], ["Foo: \u{e9}"], true),
            (["Accept-Language"], ["Accept-Language: \u{c9}"], ["Accept-Language: \u{e9}"], false),
            // U+FFFD may stand for any bytes that were not valid UTF-8.
            (["Foo"], ["Foo: \u{FFFD}"], ["Foo: \u{FFFD}"], false), (["Foo"], ["Foo: a\u{FFFD}"], ["Foo: a"], false),
            (["Foo"], ["Foo: \u{EF}\u{BF}\u{BD}"], ["Foo: \u{EF}\u{BF}\u{BD}"], true),
            (["Foo"], ["Bar: \u{FFFD}"], ["Bar: \u{FFFE}"], true),
            (["Accept-Language"], ["Accept-Language: de, \u{FFFD}"], ["Accept-Language: de, \u{FFFD}"], false),
            // RFC 9110, section 12.5.4: case makes no difference to languages, but their order may.
            (["Accept-Language"], ["Accept-Language: en, de"], ["Accept-Language: de, en"], false),
            (["Accept-Language"], ["Accept-Language: en, de"], ["Accept-Language: eN, De"], true),
            (["Accept-Language"], ["Accept-Language: en, de"], ["Accept-Language:  en ,   de"], true),
            (["Accept-Language"], ["Accept-Language: en, de;q=1"], ["Accept-Language: en, de; q=1"], true),
            (["Accept-Language"], ["Accept-Language: en, de;q=1"], ["Accept-Language: en, de"], true),
            (["Accept-Language"], ["Accept-Language: en, de;q=0.5"], ["Accept-Language: de, en;q=0.5"], false),
            (["Accept-Encoding"], ["Accept-Encoding: gzip, br"], ["Accept-Encoding: BR,gzip"], true),
            (["Accept-Encoding"], ["Accept-Encoding: gzip, br"], ["Accept-Encoding: gzip"], false),
        ] as [([String], [String], [String], Bool)]
    )
    func `a request matches if its selecting fields are equivalent`(
        vary: [String],
        stored: [String],
        presented: [String],
        matches: Bool
    ) {
        #expect(self.matches(vary, stored, presented) == matches)
    }

    @Test func `bytes of invalid UTF-8 are distinguished`() {
        func request(_ byte: UInt8) -> HTTPRequest {
            var request = Exchange.request()
            request.headerFields[fields: .from] = [HTTPField(name: .from, value: [byte])]
            return request
        }
        let selection = SelectingFields(Exchange.fields(["Vary: From"]), of: request(0xE9))
        #expect(selection.matches(request(0xE9)))
        #expect(!selection.matches(request(0xE8)))
    }

    @Test func `a value with lost bytes prevents storing, and matches no stored response`() throws {
        let exchange = Exchange(.get, "/", ["Foo: \u{FFFD}"], ["Cache-Control: max-age=60", "Vary: Foo"])
        #expect(exchange.decision() == .refuse(.vary))
        // An earlier version has written such a value.
        let json = #"{"values":[{"name":"foo","value":"\u00ef\u00bf\u00bd"}],"isUnmatchable":false}"#
        let selection = try JSONDecoder().decode(SelectingFields.self, from: Data(json.utf8))
        #expect(selection.values.count == 1)
        #expect(!selection.matches(exchange.request))
    }

    @Test(arguments: [["*"], ["*, *"], ["*", "*"], [", *"], ["", "*"], ["*, Foo"], ["Foo, *"], ["a b"], ["\"Foo\""]])
    func `a response with Vary: * never matches`(vary: [String]) {
        #expect(!matches(vary, ["Foo: 1"], ["Foo: 1"]))
    }

    @Test(arguments: [(31, true), (32, true), (33, false)])
    func `more than 32 fields are not compared`(count: Int, matches: Bool) {
        #expect(self.matches([(1...count).map { "f\($0)" }.joined(separator: ",")], [], []) == matches)
    }

    @Test func `keys are equal if they match, and an absent field differs from an empty one`() {
        func key(_ lines: String...) -> String {
            SelectingFields(Exchange.fields(["Vary: b, A"]), of: Exchange(.get, "/", lines).request).key
        }
        #expect(key("a: 1", "b: 2") == "a:1\0b:2")
        #expect(key("b: 2", "A: 1") == "a:1\0b:2")
        #expect(key("a:") == "a:\0b")
        #expect(SelectingFields([:], of: Exchange.request()).key.isEmpty)
    }
}
