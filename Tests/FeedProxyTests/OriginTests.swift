import FeedProxy
import Foundation
import Testing

/// Which addresses are origins.
struct OriginTests {
    @Test(
        arguments: [
            ("http://a", "http://a", "a", 80), ("https://a/", "https://a", "a", 443),
            ("HTTP://127.0.0.1:8000", "http://127.0.0.1:8000", "127.0.0.1", 8_000),
            ("http://[::1]:65535", "http://[::1]:65535", "::1", 65_535), ("http://a:1", "http://a:1", "a", 1),
        ]
    )
    func `an origin is a scheme, a host and a port`(text: String, shown: String, host: String, port: Int) throws {
        let origin = try Origin(#require(URL(string: text)))
        #expect(origin.description == shown)
        #expect(origin.host == host)
        #expect(origin.port == port)
    }

    @Test(
        arguments: [
            "ftp://a", "a", "http://", "http://a/path", "http://a?q", "http://a#f", "http://u@a", "http://u:p@a",
            "http://a:0", "http://a:65536",
        ]
    )
    func `anything else is not, and it is said why`(text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: InvalidOrigin.self) { try Origin(url) }
        #expect(error?.description.hasSuffix("Write one like http://127.0.0.1:8080") == true)
    }
}
