import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import Testing

@Suite
struct HostMiddlewareTests {
    private func status(_ hosts: AllowedHosts, _ host: String) async throws -> Int {
        let router = Router()
        router.add(middleware: HostMiddleware(hosts))
        router.get("/") { _, _ in "hello" }
        return try await RouterHTTPClient(router).ask(.get, "/", host: host).status
    }

    @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST:8080", "[::1]", "[::1]:80", "127.0.0.1:1", "notes.example"])
    func `a server on a loopback address accepts local names`(host: String) async throws {
        #expect(try await status(.listening(on: "127.0.0.1", names: ["Notes.example"]), host) == 200)
    }

    @Test(arguments: ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", "[::2]"])
    func `a server on a loopback address refuses other names`(host: String) async throws {
        for address in [
            "127.0.0.1", "127.0.0.2", "localhost", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1",
            "::FFFF:7f00:1", "LocalHost", "notes.localhost", "ip6-localhost", "127.1",
        ] {
            #expect(try await status(.listening(on: address), host) == 421)
        }
    }

    @Test
    func `a server on any other address accepts any name`() async throws {
        for address in ["0.0.0.0", "::", "[::]", "10.0.0.1", "2001:db8::1", "::ffff:10.0.0.1"] {
            #expect(try await status(.listening(on: address), "notes.example") == 200)
        }
        #expect(try await status(.any, "notes.example:81") == 200)
    }

    @Test
    func `no cache in front of the server keeps a refusal`() async throws {
        let router = Router()
        router.add(middleware: HostMiddleware(.only(["notes.example"])))
        let answer = try await RouterHTTPClient(router).ask(.get, "/", host: "evil.example")
        #expect((answer.status, answer[.cacheControl]) == (421, "no-store"))
    }

    @Test
    func `only listed names are accepted`() async throws {
        let hosts = AllowedHosts.only(["notes.example", "[2001:db8::1]"])
        #expect(try await status(hosts, "NOTES.example:8080") == 200)
        #expect(try await status(hosts, "[2001:db8::1]:80") == 200)
        #expect(try await status(hosts, "localhost") == 421)
    }

    @Test(arguments: [
        ("::1", "[::1]"), ("[::1]", "[::1]"), ("[::1]:80", "[::1]"), ("0:0:0:0:0:0:0:1", "[::1]"), ("[0::1]", "[::1]"),
        ("2001:DB8:0::1", "[2001:db8::1]"), ("notes.example:8080", "notes.example"), ("NOTES.example", "notes.example"),
    ])
    func `a listed name is recognized in every spelling`(name: String, host: String) async throws {
        let hosts = AllowedHosts.only([name])
        for spelling in [host, "\(host):443"] { #expect(try await status(hosts, spelling) == 200) }
        #expect(try await status(hosts, "[::2]") == 421)
        #expect(try await status(hosts, "other.example") == 421)
    }

    @Test
    func `an address in a request is recognized in every spelling`() async throws {
        #expect(try await status(.only(["::1"]), "[0:0:0:0:0:0:0:1]:8080") == 200)
        #expect(try await status(.listening(on: "::1"), "[0::0:1]") == 200)
    }

    @Test(arguments: ["", ":80", "a b", "me@localhost", "localhost:x", "[::1", "[::1]x", "local\"host", "a[b", "::1"])
    func `an invalid host is a bad request`(host: String) async throws {
        #expect(try await status(.any, host) == 400)
    }
}
