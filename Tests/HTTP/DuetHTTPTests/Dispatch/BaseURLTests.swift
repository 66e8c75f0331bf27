import DuetHTTP
import Foundation
import Testing

struct BaseURLTests {
    @Test(arguments: ["https://api.example", "http://127.0.0.1:8089/v1/", "HTTP://ann:pass@[::1]:80"])
    func `a text can be a server's address`(text: String) throws {
        _ = try BaseURL(text)
    }

    @Test(
        arguments: [
            (
                "127.0.0.1:8089",
                "127.0.0.1:8089 cannot be the server's address: it must begin with http:// or https://."
            ),
            ("", "It cannot be the server's address: it must begin with http:// or https://."),
            ("ann:secret@a b?secret", "a b cannot be the server's address: it must begin with http:// or https://."),
            (
                "https://ann:secret@bücher.example/v1",
                "bücher.example/v1 cannot be the server's address: write its host as xn--bcher-kva.example."
            ),
            ("http://ann:secret@a b", "a b cannot be the server's address: it is not a URL."),
            (
                "https://a.example/?secret",
                "https://a.example/ cannot be the server's address: it must end with its path, without ? and #."
            ),
        ]
    )
    func `an invalid address is named without its secrets`(text: String, description: String) throws {
        let error = try #require(throws: InvalidBaseURL.self) { try BaseURL(text) }
        #expect(error.description == description)
        #expect((error as any Error).localizedDescription == description)
    }
}
