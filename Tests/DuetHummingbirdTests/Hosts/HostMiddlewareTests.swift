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
    func `on an address of this machine its names are answered for`(host: String) async throws {
        #expect(try await status(.listening(on: "127.0.0.1", names: ["Notes.example"]), host) == 200)
    }

    @Test(arguments: ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", "[::2]"])
    func `on an address of this machine other names are not`(host: String) async throws {
        for address in ["127.0.0.1", "127.0.0.2", "localhost", "::1", "[::1]"] {
            #expect(try await status(.listening(on: address), host) == 421)
        }
    }

    @Test
    func `on any other address any name is answered for`() async throws {
        #expect(try await status(.listening(on: "0.0.0.0"), "notes.example") == 200)
        #expect(try await status(.any, "notes.example:81") == 200)
    }

    @Test
    func `only listed names are answered for`() async throws {
        let hosts = AllowedHosts.only(["notes.example", "[2001:db8::1]"])
        #expect(try await status(hosts, "NOTES.example:8080") == 200)
        #expect(try await status(hosts, "[2001:db8::1]:80") == 200)
        #expect(try await status(hosts, "localhost") == 421)
    }

    @Test(arguments: ["", ":80", "a b", "me@localhost", "localhost:x", "[::1", "[::1]x", "local\"host", "a[b", "::1"])
    func `what is no host is a bad request`(host: String) async throws {
        #expect(try await status(.any, host) == 400)
    }
}
