import DuetHTTP
import Testing

struct MediaTypeTests {
    @Test(
        arguments: [
            ("application/json", "application/json", nil), ("Text/HTML;Charset=\"UTF-8\"", "text/html", "utf-8"),
            (" image/png ; x=\"a;charset=b\" ; charset=latin1", "image/png", "latin1"),
            ("a/b;x=\"\\\";charset=c\"", "a/b", nil), ("x/y+json;", "x/y+json", nil),
            // Two equal lines.
            ("a/b, a/b", "a/b", nil), ("a/b;charset=c, A/B ;charset=d;x=\",\"", "a/b", "d"),
        ] as [(String, String, String?)]
    )
    func `a field is parsed`(_ field: String, _ essence: String, _ charset: String?) throws {
        let type = try #require(MediaType(field))
        #expect(type.essence == essence)
        #expect(type.charset == charset)
    }

    @Test(arguments: [
        "", " ", ";", "json", "/json", "a/", "a/b/c", "a b/c", "a/b c", "a/é", "*", "a/b, c/d", "a/b,", ", a/b", nil,
    ])
    func `a text without a type and a subtype is not a media type`(_ field: String?) {
        #expect(MediaType(field) == nil)
    }

    @Test(arguments: [
        ("application/json", true), ("x/y+json", true), ("application/problem+json", true), ("text/json", false),
        ("application/jsonp", false), ("application/x-json", false),
    ])
    func `JSON is recognized by its media type, also by a suffix`(_ field: String, _ isJSON: Bool) throws {
        #expect(try #require(MediaType(field)).isJSON == isJSON)
    }
}
